import Foundation
import Sallyport
import SallyportGateway
import TestSupport

/// Runs a closure against a gateway over plain HTTP, which serves other hosts too if they are given.
func withGateway(serving hosts: [String] = [], _ body: (String) async throws -> Void) async throws {
    var configuration = GatewayConfiguration()
    configuration.allowedHosts = try hosts.map { try HostPattern($0) }
    try await Gateway.withRunning(configuration) { address in try await body(address.baseURL) }
}

/// Runs a closure against a gateway over TLS.
///
/// - Parameter body: Called with the base URL and the file of its authority's certificate.
func withSecureGateway(_ body: (String, String) async throws -> Void) async throws {
    let authority = try DevelopmentAuthority()
    let configuration = GatewayConfiguration(tls: .developmentAuthority(authority))
    try await withTemporaryDirectory { folder in
        let file = folder.appendingPathComponent("authority.pem").path
        try authority.write(certificateTo: file)
        try await Gateway.withRunning(configuration) { address in try await body(address.baseURL, file) }
    }
}

/// What the gateway's echo says of a request.
struct Echo: Decodable {
    struct Pair: Decodable, Equatable {
        let name: String
        let value: String
    }

    let method: String
    let target: String
    let query: [Pair]
    let headers: [String: [String]]
    let body: String
    let bodyEncoding: String
    let bodyLength: Int
}

extension Tool.Outcome {
    /// The output, read as the gateway's echo.
    var echo: Echo {
        get throws {
            guard let echo = try? JSONDecoder().decode(Echo.self, from: output) else { throw NoEcho(outcome: self) }
            return echo
        }
    }
}

/// A run that should have printed an echo did not.
struct NoEcho: Error {
    let outcome: Tool.Outcome
}
