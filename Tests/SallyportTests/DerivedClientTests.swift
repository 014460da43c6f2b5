import Foundation
import SallyportTesting
import Testing
import TestSupport

@testable import Sallyport

@Suite(.concurrencyLimited) struct DerivedClientTests {
    private func isClosed(_ client: HttpClient) async -> Bool {
        do {
            _ = try await client.request { request in request.url = "http://api.example.com/" }
            return false
        } catch {
            if case .clientClosed = error { return true }
            return false
        }
    }

    @Test func `it uses the other's connections`() async throws {
        let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await withScriptedServer([[.receiveHead, answer, .receiveHead, answer]]) { server in
            let client = HttpClient.createClient()
            defer { client.close() }
            let other = client.derived { config in config.timeout = 5 }
            for client in [client, other] {
                _ = try await client.request { request in request.url = "http://\(server.authority)/" }
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `it has the other's configuration and cookies, but for what was changed`() async throws {
        let server = MockTransport { _ in .text("hello").header(.setCookie, "a=1") }
        let client = HttpClient.createClient { config in
            config.transport = server
            config.onRequest { request in request.setHeader(name: "X-App", value: "1") }
        }
        let other = client.derived { config in
            config.onRequest { request in request.setHeader(name: "X-Other", value: "2") }
        }
        _ = try await client.request { request in request.url = "http://api.example.com/" }
        _ = try await other.request { request in request.url = "http://api.example.com/" }
        #expect(server.requests.map { $0.header("X-App") } == ["1", "1"])
        #expect(server.requests.map { $0.header("X-Other") } == [nil, "2"])
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "a=1"])
    }

    @Test func `closing it closes it alone, gently or not`() async throws {
        let client = HttpClient.createClient { config in config.transport = MockTransport { _ in .text("hello") } }
        let (first, second) = (client.derived { _ in }, client.derived { _ in })
        first.close()
        await second.shutdown(grace: .zero)
        #expect(await isClosed(first))
        #expect(await isClosed(second))
        #expect(await !isClosed(client))
        #expect(await !isClosed(client.derived { _ in }))
    }

    @Test func `closing the other closes it too, and what is derived of it`() async throws {
        let client = HttpClient.createClient { config in config.transport = MockTransport { _ in .text("hello") } }
        let derived = client.derived { _ in }.derived { _ in }
        #expect(await !isClosed(derived))
        client.close()
        #expect(await isClosed(derived))
    }

    @Test func `connections stay for as long as one of the clients is there`() async throws {
        let answer = ScriptStep.send("HTTP/1.1 204 No Content\r\n\r\n")
        try await withScriptedServer([[.receiveHead, answer, .receiveHead, answer]]) { server in
            var derived: HttpClient? = HttpClient.createClient().derived { _ in }
            for _ in 0..<2 {
                _ = try await derived?.request { request in request.url = "http://\(server.authority)/" }
            }
            #expect(server.acceptedConnections == 1)
            derived = nil
            try await server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test func `a transport, pins or a proxy of its own are refused when it is used`() async throws {
        let client = HttpClient.createClient { config in config.transport = MockTransport { _ in .text("hello") } }
        let pin = "sha256/" + Data(repeating: 1, count: 32).base64EncodedString()
        let refused = try [
            client.derived { config in config.transport = MockTransport() },
            client.derived { config in config.proxy = .environment },
            client.derived { config in try config.pins.pin("example.com", to: [pin]) },
        ]
        for client in refused {
            await #expect {
                try await client.request { request in request.url = "http://api.example.com/" }
            } throws: { error in
                if case NetworkError.invalidRequest = error { true } else { false }
            }
        }
    }
}
