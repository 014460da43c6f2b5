import Foundation

/// The configuration, clock, issuer and statistics that the components of an ``AuthorizationServer`` share.
///
/// Like the components, it is not `Sendable`: only the actor that created it can use it.
final class ServerContext {
    let configuration: AuthorizationServerConfiguration
    /// The issuer identifier in tokens and metadata.
    var issuer: String
    private(set) var statistics = GatewayStatistics()
    private let clock: @Sendable () -> Date

    init(_ configuration: AuthorizationServerConfiguration, clock: @escaping @Sendable () -> Date) {
        self.configuration = configuration
        self.clock = clock
        issuer = configuration.issuer ?? "http://127.0.0.1"
    }

    var now: Date { clock() }
    var lifetimes: GatewayLifetimes { configuration.lifetimes }

    func countGrant(_ grantType: GrantType) {
        statistics.grants[grantType.rawValue, default: 0] += 1
    }

    func countRefusal(_ refusal: OAuthRefusal) {
        statistics.refusals[refusal.code.rawValue, default: 0] += 1
    }

    func countProtectedCall() {
        statistics.protectedCalls += 1
    }
}

/// The numbers of requests that an authorization server has handled since it was created.
public struct GatewayStatistics: Sendable, Equatable, Codable {
    /// The number of token responses by grant type.
    public var grants: [String: Int] = [:]
    /// The number of refused requests by error code.
    public var refusals: [String: Int] = [:]
    /// The number of successful requests for the protected resource.
    public var protectedCalls = 0

    /// The number of token responses for refresh tokens.
    public var refreshes: Int { grants["refresh_token"] ?? 0 }

    private enum CodingKeys: String, CodingKey {
        case grants, refusals
        case protectedCalls = "protected_calls"
    }
}
