import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct RegistrationTests {
    private let identity: MockIdentityServer
    private let answer = #"""
        {"client_id": "new", "client_secret": "canary", "client_secret_expires_at": 60,
         "registration_access_token": "canary-management", "registration_client_uri": "https://id.example.com/r/new"}
        """#

    init() throws { identity = try MockIdentityServer() }

    @Test func `A registration returns client ID, secret and expiry, and its description contains no secret`()
        async throws
    {
        identity.transport.on(.post, "/registration", .json(answer, status: 201))
        let client = try await identity.client().server.register(["client_name": "X"], initialToken: "initial")
        #expect(client.clientID == "new")
        #expect(client.clientSecret == "canary")
        #expect(client.clientSecretExpiresAt == Date(timeIntervalSince1970: 60))
        #expect(client.authentication.map { "\($0)" } == "client_secret_basic")
        let request = identity.transport.requests.last
        #expect(request?.text == #"{"client_name":"X"}"#)
        #expect(request?.header("Authorization") == "Bearer initial")
        var dumped = ""
        dump(client, to: &dumped)
        #expect(!"\(client) \(String(reflecting: client)) \(dumped)".contains("canary"))
    }

    @Test func `A registration is read and deleted with its registration access token`() async throws {
        identity.transport.on(nil, "/r/new", .json(answer))
        let server = identity.client().server
        let members = try JSONDecoder().decode([String: JsonValue].self, from: Data(answer.utf8))
        let client = RegisteredClient(clientID: "new", members: members)
        #expect(try await server.registration(of: client) == client)
        try await server.unregister(client)
        #expect(identity.transport.requests.map(\.method) == [.get, .delete])
        #expect(identity.transport.requests.allSatisfy { $0.header("Authorization") == "Bearer canary-management" })
    }

    @Test func `The registration access token is not sent over plain HTTP`() async throws {
        let client = RegisteredClient(
            clientID: "new",
            members: ["registration_client_uri": "http://id.example.com/r", "registration_access_token": "t"]
        )
        let server = identity.client().server
        let error = try await oauthError { try await server.unregister(client) }
        #expect(error.failure.reason.contains("registration"))
        #expect(identity.transport.requests.isEmpty)
    }

    @Test func `A refused registration throws the server's error code`() async throws {
        identity.transport.on(.post, "/registration", .refusal("invalid_redirect_uri", "no"))
        let server = identity.client().server
        let error = try await oauthError { _ = try await server.register([:]) }
        #expect(error.error == "invalid_redirect_uri")
    }
}
