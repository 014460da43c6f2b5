import Crypto
import Foundation
import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct DigestRoutesTests {
    @Test func `A request without credentials is challenged with SHA-256 and MD5 and a new nonce each time`()
        async throws
    {
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
        arguments: [
            "Digest", "Basic YW5uOnNlY3JldA==", "Digest nonce=\"a\"",
            "Digest username=\"ann\", realm=\"sallyport\", uri=\"/digest/ann/secret\", algorithm=MD5, nonce=\"a.b\", "
                + "nc=00000001, cnonce=\"c\", qop=auth, response=\"ab7de0ea4ac4a8bb5a6a4d5a4c2f4b5c\"",
        ]
    )
    func `Credentials without a valid response to an own nonce are refused`(authorization: String) async throws {
        try await withRouter { client in
            let headers: HTTPFields = [.authorization: authorization]
            let response = try await client.execute(uri: "/digest/ann/secret", method: .get, headers: headers)
            #expect(response.status == .unauthorized)
        }
    }

    @Test func `A valid response is accepted and authenticated by rspauth, and a used nonce is reported as stale`()
        async throws
    {
        try await withRouter { client in
            let path = "/digest/ann/secret?uses=1&algorithm=MD5"
            let challenge = try await client.execute(uri: path, method: .get).headers[.wwwAuthenticate] ?? ""
            let nonce = String(try #require(challenge.firstMatch(of: /nonce="([^"]+)"/)).1)
            func send(nc: String, password: String) async throws -> TestResponse {
                let secret = hash("ann:sallyport:\(password)")
                let proof = hash("\(secret):\(nonce):\(nc):c:auth:\(hash("GET:\(path)"))")
                let field =
                    "Digest username=\"ann\", realm=\"sallyport\", uri=\"\(path)\", algorithm=MD5, nonce=\"\(nonce)\", "
                    + "nc=\(nc), cnonce=\"c\", qop=auth, response=\"\(proof)\""
                return try await client.execute(uri: path, method: .get, headers: [.authorization: field])
            }
            let right = try await send(nc: "00000001", password: "secret")
            #expect(right.status == .ok)
            let own = hash("\(hash("ann:sallyport:secret")):\(nonce):00000001:c:auth:\(hash(":\(path)"))")
            #expect(right.headers[.authenticationInfo]?.contains("rspauth=\"\(own)\"") == true)
            let stale = try await send(nc: "00000002", password: "secret")
            #expect(stale.headers[.wwwAuthenticate]?.contains("stale=true") == true)
            let wrong = try await send(nc: "00000002", password: "wrong")
            #expect(wrong.headers[.wwwAuthenticate]?.contains("stale=false") == true)
        }
    }

    @Sendable private func hash(_ text: String) -> String { Insecure.MD5.hash(data: Data(text.utf8)).hexadecimal }
}
