import Foundation
import Sallyport
import SallyportGateway
import SallyportOAuth
import SallyportTestTraits
import TestSupport
import Testing

// The Swift blocks of SallyportTesting.docc/Writing-Tests.md; see ReadmeTests. Its tests replay the files in the folder Recordings.

struct UserDirectory {
    let client: HttpClient

    func name(of id: Int) async throws -> String {
        struct User: Decodable { let name: String }
        let response = try await client.request { request in request.url = "https://api.example.com/users/\(id)" }
        return try response.decode(User.self).name
    }
}

@Suite(.concurrencyLimited) struct TestingArticleTests {
    @Test func `The name of a user is read`() async throws {
        let server = MockTransport()
        server.on(.get, "/users/*", .json(#"{"name": "John Doe"}"#))
        let client = HttpClient.createClient { config in config.transport = server }

        #expect(try await UserDirectory(client: client).name(of: 7) == "John Doe")
        #expect(server.requests.map(\.path) == ["/users/7"])
    }

    @Test func `A call succeeds after the connection was lost`() async throws {
        let server = MockTransport()
        server.on(.get, "/users/*") { [weak server] _ in
            server?.requests.count == 1 ? .fail(.connectionLost("no answer")) : .json(#"{"name": "John Doe"}"#)
        }
        let client = HttpClient.createClient { config in
            config.transport = server
            config.retry = .exponential(attempts: 2)
        }
        #expect(try await UserDirectory(client: client).name(of: 7) == "John Doe")
        #expect(server.requests.count == 2)
    }

    @Test(.recording("users"))
    func `The real API returns the name`() async throws {
        let client = try HttpClient.createClient { config in
            config.transport = try RecordingTransport.current
        }
        #expect(try await UserDirectory(client: client).name(of: 7) == "John Doe")
    }

    @Test(
        .recording("orders") { options in
            options.matching.formUnion([.body, .header("Accept-Language")])
            options.ignoredNames = ["created_at", "nonce"]
        }
    )
    func `An order is created`() async throws {
        let client = try HttpClient.createClient { config in
            config.transport = try RecordingTransport.current
        }
        let response = try await client.request { request in
            request.url = "https://api.example.com/orders"
            request.setHeader(name: "Accept-Language", value: "en")
            request.post(json: ["product": "tea", "nonce": UUID().uuidString])
        }
        #expect(response.status == .created)
    }

    @Test(arguments: [7, 8])
    func `Each user has a name`(id: Int) async throws {
        try await withRecording("user-\(id)") { transport in
            let client = HttpClient.createClient { config in config.transport = transport }
            let name = try await UserDirectory(client: client).name(of: id)
            #expect(!name.isEmpty)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, *)
    @Test func `A call gets a new token when the server has expired the old one`() async throws {
        let identity = try AuthorizationServer(.development())
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: identity)) { address in
            let oauth = OAuthClient(issuer: address.baseURL, clientID: "conf") { config in
                config.authentication = .secretBasic("s3cret-conf")
                config.scopes = ["api"]
            }
            let session = OAuthSession(refresher: ClientCredentialsRefresher(oauth), store: MemoryTokenStore())
            let api = HttpClient.createClient().authorized(by: session, for: address.baseURL)

            let first = try await api.request { request in request.url = "\(address.baseURL)/protected" }
            await identity.expireAccessTokens()
            let second = try await api.request { request in request.url = "\(address.baseURL)/protected" }
            #expect([first.status, second.status] == [.ok, .ok])
        }
    }

    @Test func `An archive with more calls than the test makes is replayed`() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let transport = try replayed(archive: file.appendingPathComponent("Recordings/users.har"))
        let client = HttpClient.createClient { config in config.transport = transport }
        for _ in 1...2 { #expect(try await UserDirectory(client: client).name(of: 7) == "John Doe") }
        try await transport.finish()
    }
}

func replayed(archive: URL) throws -> RecordingTransport {
    try RecordingTransport(file: archive) { options in
        options.mode = .none
        options.allowsUnused = true
        options.allowsRepeats = true
    }
}
