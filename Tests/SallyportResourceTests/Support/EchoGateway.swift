import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportResource

/// A gateway over TLS, whose path `/echo` returns each request in JSON.
struct EchoGateway {
    /// The address of the gateway.
    let address: GatewayAddress
    private let authority: DevelopmentAuthority
    private let log: Journal

    /// Runs a gateway while a closure runs.
    static func withRunning(_ body: (EchoGateway) async throws -> Void) async throws {
        let authority = try DevelopmentAuthority()
        let log = Journal()
        let configuration = GatewayConfiguration(
            tls: .developmentAuthority(authority),
            logger: CapturingLog.logger(log, level: .info)
        )
        try await Gateway.withRunning(configuration) { address in
            try await body(EchoGateway(address: address, authority: authority, log: log))
        }
    }

    /// The method, the route and the status of each request that the gateway has received.
    var requests: [String] {
        log.entries.compactMap { $0.firstMatch(of: /^info: ([A-Z]+ \S+ \d{3})\s/).map { String($0.1) } }
    }

    /// Returns a client that accepts the gateway's certificate, and whose resource base URL is a path of the gateway.
    ///
    /// - Parameters:
    ///   - base: The path.
    ///   - port: The port of the base URLs, such as that of a proxy; `nil` for the gateway's.
    ///   - change: A closure that changes the settings.
    ///   - http: A closure that changes the settings of the HTTP client.
    func client(
        _ base: String,
        port: Int? = nil,
        _ change: (inout ConfigModel) -> Void = { _ in },
        http: (inout HttpClientConfiguration) -> Void = { _ in }
    ) throws -> ResourceClient {
        let url = "https://\(address.host):\(port ?? address.port)"
        var model = ConfigModel(
            appIdentifier: "com.example.app",
            appVersion: "2.1.0",
            baseURL: url,
            resourceBaseURL: url + base
        )
        model.certificates = [authority.certificatePEM]
        model.additionalResourceURLs = ["https://localhost:\(address.port)/"]
        model.integrityChecks = []
        change(&model)
        return try ResourceClient(model, stores: .memory()) { config in
            config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
            http(&config)
        }
    }
}
