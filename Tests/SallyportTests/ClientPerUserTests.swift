import ClientTestSupport
import Foundation
import SallyportGateway
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct ClientPerUserTests {
    private struct ReceivedCookies: Decodable {
        struct Cookie: Decodable, Equatable {
            let name: String
            let value: String
        }

        let cookies: [Cookie]
    }

    @Test func `Sessions of 200 concurrent users of one server stay separate`() async throws {
        try await Gateway.withRunning { address in
            let shared = HttpClient.createClient { config in config.timeout = 60 }
            defer { shared.close() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in 0..<200 {
                    group.addTask {
                        let client = shared.forUser()
                        for round in 0..<3 {
                            let session = "user-\(user)-\(round)"
                            _ = try await client.request { request in
                                request.url = "\(address.baseURL)/cookies/set?session=\(session)&path=/"
                            }
                            let response = try await client.request { request in
                                request.url = "\(address.baseURL)/cookies"
                            }
                            #expect(
                                try response.decode(ReceivedCookies.self).cookies
                                    == [ReceivedCookies.Cookie(name: "session", value: session)]
                            )
                        }
                    }
                }
                try await group.waitForAll()
            }
            let own = try await shared.request { request in request.url = "\(address.baseURL)/cookies" }
            #expect(try own.decode(ReceivedCookies.self).cookies.isEmpty)
        }
    }

    @Test func `Per-user clients share the connections of the client they are created from`() async throws {
        let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await withScriptedServer([[.receiveHead, answer, .receiveHead, answer]]) { server in
            let client = HttpClient.createClient()
            defer { client.close() }
            for user in [client.forUser(), client.forUser()] {
                _ = try await user.request { request in request.url = "http://\(server.authority)/" }
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test(arguments: [false, true])
    func `Per-user clients share one retry budget unless they set their own`(isOwn: Bool) async throws {
        let (shared, server) = makeClient(.status(503)) { config in
            config.retry = RetryPolicy(attempts: 2, backoff: .constant(.zero))
            config.retryBudget = RetryBudget(retries: 1, perSuccess: 0, perSecond: 0)
        }
        for _ in 0..<2 {
            let user = shared.forUser { config in
                if isOwn { config.retryBudget = RetryBudget(retries: 2, perSuccess: 0, perSecond: 0) }
            }
            _ = try await user.request(request: makeRequest()) as HttpResponse
        }
        #expect(server.requests.count == (isOwn ? 4 : 3))
    }

    @Test func `A per-user client uses the given cookie jar, also if the shared client has none`() async throws {
        let (shared, server) = makeClient(.text("hello").header(.setCookie, "a=1")) { config in config.cookieJar = nil }
        let jar = CookieJar()
        let user = shared.forUser(cookieJar: jar) { config in
            config.onRequest { request in request.setHeader(name: "X-User", value: "ada") }
        }
        for _ in 0..<2 { _ = try await user.request(request: makeRequest()) as HttpResponse }
        #expect(jar.allCookies.map(\.name) == ["a"])
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "a=1"])
        #expect(server.requests.map { $0.header("X-User") } == ["ada", "ada"])
    }
}
