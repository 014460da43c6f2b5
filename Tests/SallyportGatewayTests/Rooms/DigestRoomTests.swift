import Foundation
import Hummingbird
import HummingbirdTesting
import Testing

@testable import SallyportGateway

@Suite("The digest room")
struct DigestRoomTests {
    @Test("asks for a proof by SHA-256 or MD5, each time with another nonce")
    func challenges() async throws {
        try await withRouter { client in
            var nonces: Set<Substring> = []
            for _ in 1...2 {
                let response = try await client.execute(uri: "/digest/ann/secret", method: .get)
                #expect(response.status == .unauthorized)
                let challenges = response.headers[values: .wwwAuthenticate]
                #expect(challenges.map { $0.contains("algorithm=SHA-256") } == [true, false])
                #expect(challenges.allSatisfy { $0.contains("stale=false") && !$0.contains("secret") })
                nonces.insert(try #require(challenges[0].firstMatch(of: /nonce="([^"]+)"/)).1)
            }
            #expect(nonces.count == 2)
            let old = try await client.execute(uri: "/digest/ann/secret?algorithm=MD5", method: .get)
            #expect(old.headers[values: .wwwAuthenticate].count == 1)
        }
    }

    @Test(
        "stays shut for what is no proof of its own nonce",
        arguments: [
            "Digest", "Basic YW5uOnNlY3JldA==", "Digest nonce=\"a\"",
            "Digest username=\"ann\", realm=\"sallyport\", uri=\"/digest/ann/secret\", algorithm=MD5, nonce=\"a.b\", "
                + "nc=00000001, cnonce=\"c\", qop=auth, response=\"ab7de0ea4ac4a8bb5a6a4d5a4c2f4b5c\"",
        ]
    )
    func staysShut(authorization: String) async throws {
        try await withRouter { client in
            let headers: HTTPFields = [.authorization: authorization]
            let response = try await client.execute(uri: "/digest/ann/secret", method: .get, headers: headers)
            #expect(response.status == .unauthorized)
        }
    }
}
