import Foundation
import HummingbirdTesting
import SallyportJOSE
import Testing

@testable import SallyportGateway

@Suite("The authorization code")
struct CodeGrantTests {
    @Test("gives tokens to the client that it was given to, with its verifier")
    func tokens() async throws {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            #expect(tokens.members["token_type"] == "Bearer")
            #expect(tokens.members["expires_in"] == 300)
            #expect(tokens.members["scope"] == "openid profile api")
            let response = try await identity.get("/protected", authorization: "Bearer \(tokens.access)")
            #expect(response.status == .ok)
            #expect(response.members["username"] == "alice")
            #expect(await identity.server.statistics.grants == ["authorization_code": 1])
        }
    }
}
