import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport

/// The ids of events, and the header that sends them to the server.
@Suite(.concurrencyLimited) struct EventIdTests {
    @Test(arguments: ["a\u{1}b", "\u{7F}", "\u{1B}[2J", String(repeating: "x", count: 4097)])
    func `An id invalid as a header value reaches the app, and the previous id is sent to the server`(id: String)
        async throws
    {
        let (events, server, _) = try await readEvents(
            eventStream("id: \(id)\ndata: a\n\n"),
            eventStream("id: 7\ndata: b\n\nid: \(id)\ndata: c\n\n"),
            eventStream("data: d\n\n"),
            eventStream("id\ndata: e\n\n"),
            .status(204)
        )
        #expect(events.map(\.id) == [id, "7", id, id, nil])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, nil, "7", "7", nil])
        let (late, _, _) = await eventOutcome(of: [eventStream("id: 7\n\nid: \(id)\ndata: a\n\n"), .status(404)])
        #expect(late.error?.lastEventId == "7")
    }

    @Test func `An id is sent back to the server as the same UTF-8 bytes`() async throws {
        let scripts: [Script] = [
            [.receiveHead, .send(eventStreamHead + "id: \u{9B}ä\t€ 🏰\ndata: a\n\n"), .close],
            [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")],
        ]
        try await withScriptedServer(scripts) { server in
            let client = HttpClient.createClient { $0.retryTime = ManualTime().retryTime }
            for try await _ in client.events({ $0.url = "http://\(server.authority)/" }) {}
            #expect(server.requests.map { $0["Last-Event-ID"] } == [[], ["\u{9B}ä\t€ 🏰"]])
        }
    }

    @Test func `An initial id that is invalid as a header value ends the stream before anything is sent`() async throws
    {
        let (events, server, _) = await eventOutcome(
            of: [.status(204)],
            options: EventStreamOptions.make { $0.lastEventId = "a\u{1}b" }
        )
        #expect(events.error?.description.contains("Last-Event-ID contains a control character") == true)
        #expect(server.requests.isEmpty)
    }

    /// Answers the requests of an event stream of `https://a.example`: a redirect for each location, and events for the other requests.
    private func ids(
        _ answers: [MockResponse],
        _ build: (inout HttpRequest) -> Void = { _ in }
    ) async throws -> [String] {
        let left = Locked(answers)
        let server = MockTransport { _ in left.withLock { $0.removeFirst() } }
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: 3)
            config.retryTime = ManualTime().retryTime
        }
        for try await _ in client.events(request: makeRequest("https://a.example/", build)) {}
        return server.requests.map { "\($0.head.authority ?? "") \($0.header("Last-Event-ID") ?? "-")" }
    }

    @Test func `An id is sent to its own origin only, even if the origin is reached by a redirect`() async throws {
        let sent = try await ids([
            eventStream("id: 1\ndata: a\n\n"), .redirect(to: "https://b.example/"),
            eventStream("id: 2\ndata: b\n\n"), .redirect(to: "/a"), .redirect(to: "https://b.example/"),
            eventStream("data: c\n\n"), eventStream("id: 3\ndata: d\n\n"), .redirect(to: "/a"), .status(204),
        ])
        #expect(
            sent == [
                "a.example -", "a.example 1", "b.example -", "a.example -", "a.example -", "b.example 2",
                "a.example -", "a.example 3", "a.example 3",
            ]
        )
    }

    @Test func `An initial id belongs to the origin of the request`() async throws {
        let sent = try await ids([.redirect(to: "https://b.example/"), .status(204)]) { request in
            request.setHeader(name: "Last-Event-ID", value: "1")
        }
        #expect(sent == ["a.example 1", "b.example -"])
    }

    @Test func `An interceptor that sends requests elsewhere does not affect the id`() async throws {
        let left = Locked([eventStream("id: 1\ndata: a\n\n"), .status(204)])
        let server = MockTransport { _ in left.withLock { $0.removeFirst() } }
        let (client, _) = makeClient(server) { config in
            config.retryTime = ManualTime().retryTime
            config.onRequest { $0.url = "https://elsewhere.example/" }
        }
        for try await _ in client.events(request: makeRequest("https://a.example/")) {}
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "1"])
    }
}
