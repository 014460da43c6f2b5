import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct ServerSentEventsTests {
    @Test func `Events are delivered as they are received, while the connection stays open`() async throws {
        let more = Signal()
        let script: Script = [
            .receiveHead, .send(eventStreamHead + "data: 1\n\ndata: 2\n\nda"), .waitFor(more), .drip("ta: 3\n\n"),
            .stall,
        ]
        try await withScriptedServer([script]) { server in
            let client = HttpClient()
            var events = client.events { $0.url = "http://\(server.authority)/" }.makeAsyncIterator()
            let event1 = try await events.next()
            #expect(event1?.data == "1")
            let event2 = try await events.next()
            #expect(event2?.data == "2")
            more.fire()
            let event3 = try await events.next()
            #expect(event3?.data == "3")
            #expect(server.requests.first?["Accept"].first == "text/event-stream")
            #expect(server.requests.first?["Cache-Control"].first == "no-cache")
            #expect(server.requests.first?["Last-Event-ID"].first == nil)
        }
    }

    @Test func `Leaving the loop closes the connection`() async throws {
        try await withScriptedServer([[.receiveHead, .send(eventStreamHead + "data: 1\n\n"), .stall]]) { server in
            let client = HttpClient()
            for try await _ in client.events({ $0.url = "http://\(server.authority)/" }) { break }
            try await server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test func `Cancelling a task that waits for an event closes the connection`() async throws {
        try await withScriptedServer([[.receiveHead, .send(eventStreamHead + "data: 1\n\n"), .stall]]) { server in
            let hasEvent = Signal()
            let client = HttpClient()
            let reading = Task {
                for try await _ in client.events({ $0.url = "http://\(server.authority)/" }) { hasEvent.fire() }
            }
            try await hasEvent.wait()
            reading.cancel()
            try await server.connection(0).waitUntilClosedByClient()
            let error = await #expect(throws: EventStreamError.self) { try await reading.value }
            #expect(error?.isCancellation == true)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `Closing the client ends the stream`() async throws {
        try await withScriptedServer([[.receiveHead, .send(eventStreamHead + "data: 1\n\n"), .stall]]) { server in
            let client = HttpClient()
            let error = await #expect(throws: EventStreamError.self) {
                for try await _ in client.events({ $0.url = "http://\(server.authority)/" }) { client.close() }
            }
            guard case .network(.clientClosed) = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `A stream that failed returns nil and sends no further request`() async throws {
        let (client, server) = makeClient(.status(401))
        var events = client.events(request: makeRequest()).makeAsyncIterator()
        let error = await #expect(throws: EventStreamError.self) { try await events.next() }
        #expect(error.map { caseName(of: $0.reason) } == "status")
        let more = try await events.next()
        #expect(more == nil)
        #expect(server.requests.count == 1)
    }

    @Test func `The idle timeout is that of the options, the request or the client, in this order`() async throws {
        let options = EventStreamOptions.make { $0.idleTimeout = .seconds(7) }
        let (_, first, _) = try await readEvents(options: options, .status(204))
        let (_, second, _) = try await readEvents(options: options, .status(204)) {
            $0.timeouts = Timeouts(idle: .seconds(9))
        }
        let (_, third, _) = try await readEvents(.status(204)) { $0.timeouts = Timeouts(idle: .seconds(9)) }
        #expect([first, second, third].map { $0.requests.first?.timeouts.idle } == [7, 7, 9].map { .seconds($0) })
    }

    @Test func `By default a stream has no total timeout, and the head and idle timeouts of the client`() async throws {
        let (_, server, _) = try await readEvents(eventStream("data: a\n\n"), .status(204))
        #expect(server.requests.map(\.timeouts.total) == [nil, nil])
        #expect(server.requests.map(\.timeouts.head) == [.seconds(15), .seconds(15)])
        #expect(server.requests.map(\.timeouts.idle) == [.seconds(60), .seconds(60)])
    }

    @Test func `Redirects, cookies and credentials work as for other calls`() async throws {
        let server = MockTransport()
        server.on(.get, "/a", .redirect(to: "/b").header(.setCookie, "id=1"))
        let isSecond = Locked(false)
        server.on(.get, "/b") { _ in
            isSecond.withLock { isSecond in
                defer { isSecond = true }
                return isSecond ? .status(204) : eventStream("data: x\n\n")
            }
        }
        let (client, _) = makeClient(server) { config in
            config.retryTime = ManualTime().retryTime
            config.redirects = .follow(limit: 3)
            config.authentication = [.basic(user: "ada", password: "x", for: "https://api.example.com")]
        }
        for try await _ in client.events(request: makeRequest("https://api.example.com/a")) {}
        #expect(server.requests.map(\.path) == ["/a", "/b", "/a", "/b"])
        #expect(server.requests.allSatisfy { $0.header("Authorization")?.hasPrefix("Basic ") == true })
        #expect(server.requests.dropFirst().allSatisfy { $0.header("Cookie") == "id=1" })
    }
}
