import Foundation
import Sallyport
import SallyportGateway
import SallyportJourney
import SallyportOAuth

/// The server and the clients for the steps of the demo.
struct DemoStage: Sendable {
    /// The base URL of the server.
    let baseURL: String
    /// A client that trusts the server's authority.
    let client: HttpClient
    /// The authorization server.
    let identity: AuthorizationServer
    /// An OAuth client of the authorization server.
    let oauth: OAuthClient
    /// The session of the signed-in user.
    let session: OAuthSession
    /// The same client, but with the session's tokens for the server.
    let authorized: HttpClient
    /// A temporary folder, which is removed after the demo.
    let folder: URL
    /// The authority of the server's certificate.
    let authority: DevelopmentAuthority

    init(
        address: GatewayAddress,
        authority: DevelopmentAuthority,
        identity: AuthorizationServer,
        folder: URL
    ) {
        self.folder = folder
        baseURL = address.baseURL
        self.identity = identity
        self.authority = authority
        let client = Self.makeClient(trusting: authority) { _ in }
        let oauth = OAuthClient(issuer: address.baseURL, clientID: "pub") { config in
            config.scopes = ["openid", "profile", "offline_access", "api"]
            config.httpClient = client
        }
        let session = OAuthSession(refresher: oauth, store: MemoryTokenStore())
        (self.client, self.oauth, self.session) = (client, oauth, session)
        authorized = client.authorized(by: session, for: baseURL)
    }

    /// The URL of a resource that requires a token.
    var protectedURL: String { baseURL + "/protected" }

    /// Signs in by the device flow. The demo approves the code itself.
    @discardableResult
    func signIn() async throws -> DeviceAuthorization {
        let device = try await oauth.deviceAuthorization()
        let isApproved = await identity.approveDevice(userCode: device.userCode, as: "alice")
        try require(isApproved, "the code \(device.userCode) to be approved")
        try await session.save(try await oauth.tokens(for: device))
        return device
    }

    /// Returns a journey of a user who has not signed in.
    func journey() throws -> Journey {
        let settings = try JourneyConfiguration(
            clientID: "pub",
            redirectURI: "http://127.0.0.1/callback",
            scope: "openid profile api",
            baseURL: baseURL
        )
        return Journey(settings, httpClient: client)
    }

    /// Signs in with a tree that asks for name and password.
    func signIn(_ tree: String, _ journey: Journey) async throws {
        let session = try await journey.start(tree).complete { node in
            node[NameCallback.self]?.name = "alice"
            node[PasswordCallback.self]?.password = "wonderland"
        }
        _ = try require(session, "a session")
    }

    /// Returns a file with the certificate of the authority, for other processes.
    func authorityFile() throws -> URL {
        let file = folder.appendingPathComponent("authority.pem")
        try authority.write(certificateTo: file.path)
        return file
    }

    /// Runs a closure with another client that trusts the server.
    func withClient<Result>(
        _ configure: (inout HttpClientConfiguration) throws -> Void,
        _ body: (HttpClient) async throws -> Result
    ) async throws -> Result {
        let client = try Self.makeClient(trusting: authority, configure)
        defer { client.close() }
        return try await body(client)
    }

    /// Returns random bytes.
    static func bytes(_ count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count / 8).flatMap { _ in withUnsafeBytes(of: generator.next() as UInt64, Array.init) })
    }

    private static func makeClient(
        trusting authority: DevelopmentAuthority,
        _ configure: (inout HttpClientConfiguration) throws -> Void
    ) rethrows -> HttpClient {
        try HttpClient.createClient { config in
            config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
            try configure(&config)
        }
    }
}

/// The response of the server's `/echo`, which describes the received request.
struct DemoEcho: Decodable {
    struct Parameter: Decodable {
        let name: String
        let value: String
    }

    let method: String
    let target: String
    let query: [Parameter]
    /// Names in lower case.
    let headers: [String: [String]]
    let body: String
}

/// The server's description of a form.
struct DemoForm: Decodable {
    struct Part: Decodable {
        let filename: String?
        let length: Int
    }

    let parts: [Part]
}
