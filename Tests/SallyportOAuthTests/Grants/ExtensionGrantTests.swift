import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct ExtensionGrantTests {
    private let identity: MockIdentityServer

    init() throws { identity = try MockIdentityServer(["extra_endpoint": "https://id.example.com/extra"]) }

    @Test func `A grant of the app is sent with its parameters and action, and the authentication of the client`()
        async throws
    {
        identity.answerTokens(.tokens())
        let log = Journal()
        let client = identity.client { config in
            config.authentication = .secretPost("canary-secret")
            config.httpClient = HttpClient.createClient { http in
                http.transport = identity.transport
                http.onRequest { request in request.action.map { log.add($0.type.rawValue) } }
            }
        }
        let tokens = try await client.tokens(
            grantType: "urn:example:grant",
            parameters: ["assertion": "a&b"],
            scopes: ["one", "two"],
            action: "EXAMPLE"
        )
        #expect(tokens.accessToken == "access-1")
        #expect(tokens.scope == "one two")
        #expect(
            identity.forms("/token") == [
                [
                    "grant_type": "urn:example:grant", "scope": "one two", "assertion": "a&b", "client_id": "app",
                    "client_secret": "canary-secret",
                ]
            ]
        )
        #expect(log.entries.last == "EXAMPLE")
    }

    @Test func `A refused grant throws the error of the server without the secrets that it repeats`() async throws {
        identity.answerTokens(.refusal("invalid_grant", "no: canary-assertion"))
        let client = identity.client()
        let error = try await oauthError {
            _ = try await client.tokens(
                grantType: "urn:example:grant",
                parameters: ["assertion": "canary-assertion"],
                action: "EXAMPLE"
            )
        }
        #expect(error.isInvalidGrant)
        #expect(!error.description.contains("canary"))
    }

    @Test func `A form for another endpoint of the metadata is authenticated by the client`() async throws {
        identity.transport.on(.post, "/extra/part", .json(#"{"ok": true}"#))
        let client = identity.client { $0.authentication = .secretPost("canary-secret") }
        let answer = try await client.post(
            [("sub", "alice")],
            toEndpoint: "extra_endpoint",
            appending: "/part",
            "EXAMPLE",
            for: "the test"
        )
        #expect(answer == ["ok": true])
        #expect(identity.forms("/extra/part").first?["client_secret"] == "canary-secret")
        let error = try await oauthError {
            _ = try await client.post([], toEndpoint: "other_endpoint", "EXAMPLE", for: "the test")
        }
        #expect(error.failure.reason.contains("other_endpoint"))
    }
}
