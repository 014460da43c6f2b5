import ClientTestSupport
import Foundation
import Sallyport
import SallyportOAuth
import SallyportService
import SallyportTesting
import TestSupport
import Testing

/// Services whose client is authorized by a session.
@Suite(.concurrencyLimited) struct AuthorizedServiceTests {
    private struct Refresher: TokenRefresher {
        let identity = OAuthClientIdentity(issuer: "https://id.example.com", clientID: "app")

        func refresh(_ tokens: OAuthTokens) -> OAuthTokens {
            OAuthTokens(accessToken: "new", refreshToken: "refresh-2")
        }
    }

    private struct AddFile: Endpoint {
        var path: EndpointPath { "/files" }
        var body: EndpointBody { .raw(.data(Data("x".utf8)), contentType: "text/plain") }
    }

    @Test func `Calls, uploads and downloads carry the token, and are repeated with a refreshed one after a 401`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let operations: [@Sendable (ServiceClient) async throws -> Void] = [
                { service in _ = try await service.call(PathOnly(path: "/me")) },
                { service in _ = try await service.upload(AddFile()) },
                { service in
                    let file = folder.appendingPathComponent("map")
                    _ = try await service.download(PathOnly(path: "/map"), to: .file(file))
                },
            ]
            for operation in operations {
                let server = MockTransport { request in
                    request.header("Authorization") == "Bearer new" ? .text("hello") : .status(401)
                }
                let session = OAuthSession(refresher: Refresher(), store: MemoryTokenStore())
                try await session.save(OAuthTokens(accessToken: "old", refreshToken: "refresh-1"))
                let client = makeClient(server).client.authorized(by: session, for: "https://api.example.com")
                try await operation(try ServiceClient(baseURL: "https://api.example.com", client: client))
                #expect(server.requests.map { $0.header("Authorization") } == ["Bearer old", "Bearer new"])
            }
        }
    }
}
