import Foundation
import Sallyport
import SallyportGateway
import SallyportResource

/// A gateway over TLS, whose resource base URL returns each request in JSON.
enum EchoGateway {
    /// Runs a gateway while a closure runs.
    ///
    /// - Parameter body: A closure that is called with a function that returns a client for a base path, and with the address.
    static func withRunning(
        _ body: (_ client: (_ base: String) throws -> ResourceClient, _ address: GatewayAddress) async throws -> Void
    ) async throws {
        let authority = try DevelopmentAuthority()
        try await Gateway.withRunning(GatewayConfiguration(tls: .developmentAuthority(authority))) { address in
            func client(_ base: String) throws -> ResourceClient {
                var model = ConfigModel(
                    appIdentifier: "com.example.app",
                    appVersion: "2.1.0",
                    baseURL: address.baseURL,
                    resourceBaseURL: address.baseURL + base
                )
                model.certificates = [authority.certificatePEM]
                model.additionalResourceURLs = ["https://localhost:\(address.port)/"]
                model.integrityChecks = []
                return try ResourceClient(model, stores: .memory()) { config in
                    config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
                }
            }
            try await body(client, address)
        }
    }
}
