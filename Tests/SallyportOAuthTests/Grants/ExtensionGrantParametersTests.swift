import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct ExtensionGrantParametersTests {
    @Test(arguments: [
        "grant_type", "scope", "client_id", "client_secret", "client_assertion", "client_assertion_type",
    ])
    func `A parameter that the client sets is refused in a grant of the app, and nothing is sent`(_ name: String)
        async throws
    {
        let identity = try MockIdentityServer()
        let client = identity.client()
        let error = try await oauthError {
            _ = try await client.tokens(
                grantType: "urn:example:grant",
                parameters: ["assertion": "a", name: "canary"],
                action: "EXAMPLE"
            )
        }
        #expect(error.failure.reason.contains("the parameter \(name) "))
        #expect(!error.description.contains("canary"))
        #expect(identity.transport.requests.isEmpty)
    }

    @Test func `A path is appended before the query of an endpoint`() async throws {
        let identity = try MockIdentityServer(["extra_endpoint": "https://id.example.com/extra?tenant=1"])
        identity.transport.on(.post, "/extra/part", .json("{}"))
        _ = try await identity.client().post(
            [],
            toEndpoint: "extra_endpoint",
            appending: "/part",
            "EXAMPLE",
            for: "the test"
        )
        #expect(identity.transport.requests.last?.url == "https://id.example.com/extra/part?tenant=1")
    }
}
