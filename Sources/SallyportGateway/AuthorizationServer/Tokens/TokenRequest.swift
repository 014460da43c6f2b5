import Foundation
import SallyportJOSE

/// A request of an authenticated client to the token endpoint.
struct TokenRequest: Sendable {
    let client: GatewayClient
    let parameters: FormParameters
    /// The thumbprint of the key that the request proves.
    let proofKey: String?
    /// The path at the end of the issuer identifier of the endpoint; see ``EndpointPaths/issuer``.
    let issuerPath: String

    /// Returns the requested scopes.
    ///
    /// - Parameters:
    ///   - allowed: The scopes that the client may request.
    ///   - standard: The scopes of a request without `scope`.
    func scopes(among allowed: [String], default standard: [String]) throws(OAuthRefusal) -> [String] {
        guard let scopes = parameters.words("scope") else { return standard }
        guard scopes.allSatisfy(allowed.contains) else {
            throw OAuthRefusal(.invalidScope, "The client may not request one of the scopes.")
        }
        return scopes.uniqued
    }

    /// Returns the members of a response with an access token (RFC 6749, section 5.1).
    func response(_ accessToken: String, scopes: [String], lifetime: TimeInterval) -> [String: JsonValue] {
        [
            "access_token": .string(accessToken),
            "token_type": proofKey == nil ? "Bearer" : "DPoP",
            "expires_in": .integer(Int64(lifetime)),
            "scope": .string(scopes.joined(separator: " ")),
        ]
    }
}

extension [String] {
    /// The strings without repetitions, in order.
    var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
