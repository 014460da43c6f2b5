import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HttpClientTests {
    @Test func `The default timeout of a call is 15 seconds, and a request can replace it`() async throws {
        let (client, server) = makeClient()
        _ = try await client.request { $0.url = "https://example.com/" }
        _ = try await client.request { request in
            request.url = "https://example.com/"
            request.timeout = 3
        }
        _ = try await client.request { request in
            request.url = "https://example.com/"
            request.timeouts = Timeouts(connect: .seconds(1), total: .seconds(2))
        }
        #expect(server.requests.map(\.timeouts.total?.roundedUp) == [15, 3, 2])
        #expect(server.requests.map(\.timeouts.connect) == [.seconds(10), .seconds(10), .seconds(1)])
    }

    @Test func `The configured timeout is used`() async throws {
        let (client, server) = makeClient { config in
            config.timeout = 30
            #expect(config.timeout == 30)
        }
        _ = try await client.request { $0.url = "https://example.com/" }
        #expect(server.requests.first?.timeouts.total?.roundedUp == 30)
    }

    @Test func `An invalid configured timeout fails every call`() async {
        let (client, server) = makeClient { $0.timeout = .nan }
        let error = await #expect(throws: NetworkError.self) {
            try await client.request { $0.url = "https://example.com/" }
        }
        #expect("\(error, default: "")".contains("the timeout of nan seconds is not greater than zero"))
        #expect(server.requests.isEmpty)
    }

    @Test func `A stalled call fails when its timeout expires`() async {
        let (client, _) = makeClient(.stall)
        await #expect {
            try await client.request { request in
                request.url = "https://example.com/slow?a=b"
                request.timeout = 0.01
            }
        } throws: { error in
            guard case NetworkError.timeout(let failure) = error else { return false }
            return failure.request == "GET https://example.com/slow?…"
        }
    }

    @Test func `Calls of a closed client fail`() async {
        let (client, server) = makeClient()
        client.close()
        await #expect {
            try await client.request { $0.url = "https://example.com/" }
        } throws: { error in
            guard case NetworkError.clientClosed(let failure) = error else { return false }
            return failure.request == "GET https://example.com/" && failure.advice == "create a new client"
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Closing the client fails running calls`() async {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let server = MockTransport { _ in
            ask.yield()
            return .stall
        }
        let (client, _) = makeClient(server)
        let call = Task { try await client.request { $0.url = "https://example.com/" } }
        for await _ in asked { break }
        client.close()
        await #expect {
            try await call.value
        } throws: { error in
            guard case NetworkError.clientClosed = error else { return false }
            return true
        }
    }

    @Test func `Calls after a shutdown fail`() async {
        let (client, _) = makeClient()
        await client.shutdown(grace: .seconds(1))
        await expectError(\NetworkError.kind, "clientClosed") {
            try await client.request { $0.url = "https://example.com/" }
        }
    }

    @Test func `Cancelling the task cancels the call`() async {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let server = MockTransport { _ in
            ask.yield()
            return .stall
        }
        let (client, _) = makeClient(server)
        let call = Task { try await client.request { $0.url = "https://example.com/" } }
        for await _ in asked { break }
        call.cancel()
        await #expect {
            try await call.value
        } throws: { error in
            guard case NetworkError.cancelled = error else { return false }
            return true
        }
    }

    @Test func `A client can be used by many tasks concurrently`() async throws {
        let server = MockTransport { request in .text(request.query ?? "") }
        let (client, _) = makeClient(server)
        let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for number in 0..<200 {
                group.addTask {
                    (number, try await client.request { $0.url = "https://example.com/?\(number)" }.bodyAsString())
                }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        #expect(answers.count == 200)
        #expect(answers.allSatisfy { "\($0.key)" == $0.value })
    }

    @Test func `More calls can wait for their responses than the computer has processors`() async throws {
        let calls = ProcessInfo.processInfo.activeProcessorCount + 1
        let proceed = Signal()
        let script: Script = [.receiveHead, .waitFor(proceed), .send("HTTP/1.1 204 No Content\r\n\r\n")]
        try await withScriptedServer([script]) { server in
            let client = HttpClient.createClient { config in
                config.transportConfiguration.connections.perHost = calls
            }
            defer { client.close() }
            try await withThrowingTaskGroup(of: HttpStatus.self) { group in
                for _ in 0..<calls {
                    group.addTask { try await client.request { $0.url = "http://\(server.authority)/" }.status }
                }
                for index in 0..<calls { try await server.connection(index).waitUntilReceived("\r\n\r\n") }
                proceed.fire()
                for try await status in group { #expect(status == .noContent) }
            }
        }
    }

    @Test func `A body longer than the limit is refused`() async throws {
        let (client, _) = makeClient(.text("12345")) { $0.maximumBodySize = 4 }
        await #expect {
            try await client.request { $0.url = "https://example.com/" }
        } throws: { error in
            guard case NetworkError.responseTooLarge = error else { return false }
            return true
        }
    }

    @Test(arguments: [MockFault.cut(after: 3), .fail(.incompleteBody("x"))])
    func `A truncated body is an error`(fault: MockFault) async throws {
        let (client, _) = makeClient(.text("12345").with(fault))
        await #expect {
            try await client.request { $0.url = "https://example.com/" }
        } throws: { error in
            guard case NetworkError.incompleteBody(let failure) = error else { return false }
            return failure.request == "GET https://example.com/"
        }
    }

    @Test func `Two clients can share a cookie jar while each has its own transport`() async throws {
        let jar = CookieJar()
        let (first, _) = makeClient(MockResponse(headers: [.setCookie: "id=1; Secure"])) { $0.cookieJar = jar }
        let (second, server) = makeClient { $0.cookieJar = jar }
        _ = try await first.request { $0.url = "https://example.com/" }
        first.close()
        _ = try await second.request { $0.url = "https://example.com/" }
        #expect(server.requests.first?.header("Cookie") == "id=1")
    }
}
