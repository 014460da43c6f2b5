import Foundation
import Sallyport
import SallyportGateway
import SallyportOAuth

/// What every step of the demo has at hand.
struct DemoStage: Sendable {
    /// The start of every URL of the server.
    let baseURL: String
    /// A client that trusts the server's authority.
    let client: HttpClient
    /// The server's part that people sign in at.
    let identity: AuthorizationServer
    /// A client of that part.
    let oauth: OAuthClient
    /// The tokens of who has signed in.
    let session: OAuthSession
    /// The client, with the session's tokens for the server.
    let authorized: HttpClient
    /// Where files may be written; it goes with the demo.
    let folder: URL
    let authorityPEM: String

    init(address: GatewayAddress, authorityPEM: String, identity: AuthorizationServer, folder: URL) {
        self.folder = folder
        baseURL = address.baseURL
        self.identity = identity
        self.authorityPEM = authorityPEM
        let client = Self.makeClient(trusting: authorityPEM) { _ in }
        let oauth = OAuthClient(issuer: address.baseURL, clientID: "pub") { config in
            config.scopes = ["openid", "profile", "offline_access", "api"]
            config.httpClient = client
        }
        let session = OAuthSession(refresher: oauth, store: MemoryTokenStore())
        (self.client, self.oauth, self.session) = (client, oauth, session)
        authorized = client.authorized(by: session, for: baseURL)
    }

    /// What only who has signed in may see.
    var protectedURL: String { baseURL + "/protected" }

    /// Signs in by a device's code, which the demo approves in the place of a person.
    @discardableResult
    func signIn() async throws -> DeviceAuthorization {
        let device = try await oauth.deviceAuthorization()
        let isApproved = await identity.approveDevice(userCode: device.userCode, as: "alice")
        try require(isApproved, "the code \(device.userCode) to be known")
        try await session.save(try await oauth.tokens(for: device))
        return device
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
