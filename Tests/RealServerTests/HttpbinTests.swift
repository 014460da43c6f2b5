import Foundation
import Sallyport
import SallyportStorage
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.httpbin != nil, "run .ci/real-servers to have httpbin started")
)
struct HttpbinTests {
    private let server = RealServer.httpbin ?? ""

    private func client(_ authentication: any Interceptor, _ journal: Journal = Journal()) -> HttpClient {
        HttpClient.createClient { config in
            config.authentication = [authentication]
            config.addWireInterceptor(journal)
        }
    }

    @Test func `Basic authentication succeeds with the right password and fails with 401 otherwise`() async throws {
        for (password, status) in [("passwd", 200), ("wrong", 401)] {
            let client = client(.basic(user: "user", password: password, for: server))
            let response = try await client.request { $0.url = "\(server)/basic-auth/user/passwd" }
            #expect(response.status.code == status)
        }
    }

    @Test(
        arguments: ["auth", "auth-int", "any"],
        ["MD5", "SHA-256"]
    )
    func `Digest authentication answers one challenge, and the next request is authenticated directly`(
        qop: String,
        algorithm: String
    ) async throws {
        let journal = Journal()
        let client = client(.digest(user: "user", password: "passwd", for: server), journal)
        for _ in 1...2 {
            let response = try await client.request { $0.url = "\(server)/digest-auth/\(qop)/user/passwd/\(algorithm)" }
            #expect(response.status == .ok)
            #expect(response.bodyAsString().contains("\"authenticated\": true"))
        }
        #expect(journal.statuses == [401, 200, 200])
        #expect(journal.counts == [nil, "00000001", "00000002"])
        let isNamed = journal.sent.compactMap(\.self).allSatisfy { $0.contains("algorithm=\(algorithm),") }
        #expect(isNamed)
        #expect(journal.sent.last??.contains("qop=\(qop == "auth-int" ? "auth-int" : "auth"),") == true)
    }

    @Test func `The body is authenticated with auth-int`() async throws {
        let journal = Journal()
        let client = client(.digest(user: "user", password: "passwd", for: server), journal)
        let response = try await client.request { request in
            request.url = "\(server)/digest-auth/auth-int/user/passwd/SHA-256"
            request.body = .data(Data("some bytes".utf8))
            request.setHeader(name: "Content-Type", value: "application/octet-stream")
        }
        #expect(response.status == .ok)
        #expect(journal.statuses == [401, 200])
    }

    @Test func `A stale nonce is answered with the new one`() async throws {
        let journal = Journal()
        let client = client(.digest(user: "user", password: "passwd", for: server), journal)
        for _ in 1...2 {
            let response = try await client.request { $0.url = "\(server)/digest-auth/auth/user/passwd/MD5/1" }
            #expect(response.status == .ok)
        }
        #expect(journal.statuses == [401, 200, 401, 200])
        #expect(journal.counts == [nil, "00000001", "00000002", "00000001"])
    }

    @Test func `If each nonce is stale, 401 is returned after three requests`() async throws {
        let journal = Journal()
        let client = client(.digest(user: "user", password: "passwd", for: server), journal)
        let response = try await client.request { $0.url = "\(server)/digest-auth/auth/user/passwd/MD5/0" }
        #expect(response.status == .unauthorized)
        #expect(journal.statuses == [401, 401, 401])
    }

    @Test(arguments: ["MD5", "SHA-256"])
    func `A wrong password returns 401 after one answer`(algorithm: String) async throws {
        let journal = Journal()
        let client = client(.digest(user: "user", password: "wrong", for: server), journal)
        let response = try await client.request { $0.url = "\(server)/digest-auth/auth/user/passwd/\(algorithm)" }
        #expect(response.status == .unauthorized)
        #expect(journal.statuses == [401, 401])
    }
}

/// Records the `Authorization` of each request and the status of its response.
private final class Journal: Interceptor {
    private let entries = Locked<[(sent: String?, status: Int)]>([])

    var sent: [String?] { entries.withLock { $0.map(\.sent) } }
    var statuses: [Int] { entries.withLock { $0.map(\.status) } }
    var counts: [String?] {
        sent.map { sent in sent.flatMap { $0.firstMatch(of: /nc=([0-9a-f]{8})/) }.map { String($0.1) } }
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let response = try await next(request)
        entries.withLock { $0.append((request.getHeader(name: "Authorization"), response.status.code)) }
        return response
    }
}
