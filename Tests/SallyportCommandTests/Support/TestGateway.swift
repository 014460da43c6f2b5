import Foundation
import Sallyport
import SallyportGateway
import TestSupport

/// Runs a closure with a gateway over plain HTTP, which may also serve other hosts.
func withGateway(serving hosts: [String] = [], _ body: (String) async throws -> Void) async throws {
    var configuration = GatewayConfiguration()
    configuration.allowedHosts = try hosts.map { try HostPattern($0) }
    try await Gateway.withRunning(configuration) { address in try await body(address.baseURL) }
}

/// Runs a closure with a gateway over TLS.
///
/// - Parameter body: A closure that receives the base URL and the path of the authority's certificate.
func withSecureGateway(_ body: (String, String) async throws -> Void) async throws {
    let authority = try DevelopmentAuthority()
    let configuration = GatewayConfiguration(tls: .developmentAuthority(authority))
    try await withTemporaryDirectory { folder in
        let file = folder.appendingPathComponent("authority.pem").path
        try authority.write(certificateTo: file)
        try await Gateway.withRunning(configuration) { address in try await body(address.baseURL, file) }
    }
}

/// The gateway's description of a request.
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
    /// The output, decoded as the gateway's description of the request.
    var echo: Echo {
        get throws {
            guard let echo = try? JSONDecoder().decode(Echo.self, from: output) else { throw NoEcho(outcome: self) }
            return echo
        }
    }
}

/// The error of a run that did not print the expected description.
struct NoEcho: Error {
    let outcome: Tool.Outcome
}
