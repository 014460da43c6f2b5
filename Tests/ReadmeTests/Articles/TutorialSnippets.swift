import Foundation
import Sallyport
import SallyportLoopback
import SallyportOAuth
import SallyportTesting
import TestSupport
import Testing

// The Swift blocks of Docs/Guides.docc/Tutorial.md, in the order of the article; see ReadmeTests.

private func requestWithoutToken() async throws {
    let client = HttpClient.createClient()
    let response = try await client.request { request in request.url = "http://127.0.0.1:8080/protected" }
    print(response.status, response.bodyAsString())
}

/// The resource of the server that needs an access token.
struct ProtectedAPI {
    struct Greeting: Decodable {
        var message: String
        var username: String
    }

    struct UnexpectedStatus: Error, CustomStringConvertible {
        let description: String
    }

    private let baseURL: String
    private let client: HttpClient

    init(baseURL: String, session: OAuthSession, configure: (inout HttpClientConfiguration) -> Void) {
        let client = HttpClient.createClient { config in
            config.retry = .exponential(attempts: 3)
            configure(&config)
        }
        self.baseURL = baseURL
        self.client = client.authorized(by: session, for: baseURL)
    }

    func greeting() async throws -> Greeting {
        let response = try await client.request { request in request.url = "\(baseURL)/protected" }
        guard response.status.isSuccess() else {
            throw UnexpectedStatus(description: "\(baseURL)/protected answered \(response.status)")
        }
        return try response.decode(Greeting.self)
    }
}

#if os(Linux) || os(macOS)
/// The commands of the program.
struct Hello {
    private let server: OAuthClient
    private let session: OAuthSession
    private let api: ProtectedAPI

    init(issuer: String, tokens: URL) {
        server = OAuthClient(issuer: issuer, clientID: "pub") { config in
            config.scopes = ["openid", "offline_access", "api"]
        }
        session = OAuthSession(refresher: server, store: FileTokenStore(at: tokens))
        api = ProtectedAPI(baseURL: issuer, session: session) { config in
            config.logger = LogManager.standard
        }
    }

    func run(_ command: String?) async throws {
        switch command {
        case "login":
            try await session.save(try await server.signIn(with: SystemBrowser()))
            print("Signed in.")
        case "device":
            let device = try await server.deviceAuthorization()
            print("Open \(device.verificationURI) and enter \(device.userCode)")
            try await session.save(try await server.tokens(for: device))
            print("Signed in.")
        case "logout":
            if let error = try await session.logout() { print("The server did not revoke the tokens: \(error)") }
            print("Signed out.")
        case nil:
            try await greet()
        default:
            print("Usage: hello [login | device | logout]")
        }
        try await session.finish(within: .seconds(2))
    }

    private func greet() async throws {
        do {
            let greeting = try await api.greeting()
            print("\(greeting.message) You are \(greeting.username).")
        } catch let error as NetworkError {
            guard let error = error.failure.underlying as? OAuthSessionError, error.isLoggedOut else { throw error }
            print("\(error)\nTo sign in: hello login, or hello device")
        }
    }
}

private func program() async {
    let home = FileManager.default.homeDirectoryForCurrentUser
    let program = Hello(issuer: "http://127.0.0.1:8080", tokens: home.appending(path: ".config/hello/tokens.json"))
    do {
        try await program.run(CommandLine.arguments.dropFirst().first)
    } catch {
        print("hello: \(error)")
        exit(1)
    }
}
#endif

@Suite(.concurrencyLimited) struct TutorialTests {
    struct NewTokens: TokenRefresher {
        let identity = OAuthClientIdentity(issuer: "https://id.example.com", clientID: "test")

        func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
            OAuthTokens(accessToken: "new", refreshToken: "second")
        }
    }

    /// Returns the API of a server that is a mock, with a session that has the access token "old".
    func mockedAPI(_ server: MockTransport) async throws -> ProtectedAPI {
        let session = OAuthSession(refresher: NewTokens(), store: MemoryTokenStore())
        try await session.save(OAuthTokens(accessToken: "old", refreshToken: "first"))
        return ProtectedAPI(baseURL: "https://api.example.com", session: session) { config in
            config.transport = server
        }
    }

    @Test func `A refused token is refreshed, and the call is repeated`() async throws {
        let server = MockTransport()
        server.on(.get, "/protected") { request in
            request.header("Authorization") == "Bearer new"
                ? .json(#"{"message": "Access granted.", "username": "alice"}"#) : .status(401)
        }
        #expect(try await mockedAPI(server).greeting().username == "alice")
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer old", "Bearer new"])
    }

    @Test func `A call is repeated if the server is unavailable`() async throws {
        let server = MockTransport()
        server.on(.get, "/protected") { [weak server] _ in
            server?.requests.count == 1 ? .status(503) : .json(#"{"message": "Access granted.", "username": "alice"}"#)
        }
        #expect(try await mockedAPI(server).greeting().username == "alice")
        #expect(server.requests.count == 2)
    }

    @Test func `A status that is not a success is an error`() async throws {
        let server = MockTransport()
        server.on(.get, "/protected", .status(403))
        await #expect(throws: ProtectedAPI.UnexpectedStatus.self) { try await mockedAPI(server).greeting() }
    }
}
