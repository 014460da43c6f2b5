import Sallyport
import SallyportGateway

/// What every step of the demo has at hand.
struct DemoStage: Sendable {
    /// The start of every URL of the server.
    let baseURL: String
    /// A client that trusts the server's authority.
    let client: HttpClient
    private let authorityPEM: String

    init(address: GatewayAddress, authorityPEM: String) {
        baseURL = address.baseURL
        self.authorityPEM = authorityPEM
        client = Self.makeClient(trusting: authorityPEM) { _ in }
    }

    /// Runs a closure with a client that trusts the server too, but is configured otherwise.
    func withClient<Result>(
        _ configure: (inout HttpClientConfiguration) throws -> Void,
        _ body: (HttpClient) async throws -> Result
    ) async throws -> Result {
        let client = try Self.makeClient(trusting: authorityPEM, configure)
        defer { client.close() }
        return try await body(client)
    }

    private static func makeClient(
        trusting authorityPEM: String,
        _ configure: (inout HttpClientConfiguration) throws -> Void
    ) rethrows -> HttpClient {
        try HttpClient.createClient { config in
            config.transportConfiguration.security.trustRoots = .pem(authorityPEM)
            try configure(&config)
        }
    }
}
