import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite struct ServerSentEventsTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

    // MARK: One connection

    @Test func `Events come as they are sent, while the connection stays open`() async throws {
        let more = Signal()
        let script: Script = [
            .receiveHead, .send(Self.head + "data: 1\n\ndata: 2\n\nda"), .waitFor(more), .drip("ta: 3\n\n"), .stall,
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

    @Test func `Who stops reading closes the connection`() async throws {
        try await withScriptedServer([[.receiveHead, .send(Self.head + "data: 1\n\n"), .stall]]) { server in
            let client = HttpClient()
            for try await _ in client.events({ $0.url = "http://\(server.authority)/" }) { break }
            try await server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test func `A task that is cancelled while it waits for an event closes the connection`() async throws {
        try await withScriptedServer([[.receiveHead, .send(Self.head + "data: 1\n\n"), .stall]]) { server in
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

    @Test func `A client that is closed ends the stream`() async throws {
        try await withScriptedServer([[.receiveHead, .send(Self.head + "data: 1\n\n"), .stall]]) { server in
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

    @Test func `After its end or its error a stream gives nothing more`() async throws {
        let (client, server) = client(.status(401))
        var events = client.events(request: makeRequest()).makeAsyncIterator()
        await #expect(throws: EventStreamError.self) { try await events.next() }
        let more = try await events.next()
        #expect(more == nil)
        #expect(server.requests.count == 1)
    }

    // MARK: Another connection

    @Test func `A stream that ended goes on after three seconds, from its last event`() async throws {
        let (events, server, time) = try await read(
            stream("id: 7\ndata: a\n\nid: 8\n"),
            stream("data: b\n\n"),
            .status(204)
        )
        #expect(events == [ServerSentEvent(id: "7", data: "a"), ServerSentEvent(id: "7", data: "b")])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "7", "7"])
        #expect(time.sleeps == [.seconds(3), .seconds(3)])
    }

    @Test func `The server says how long to wait, and may take its id back`() async throws {
        let (_, server, time) = try await read(
            stream("retry: 1500\nid: 7\ndata: a\n\n"),
            stream("id\ndata: b\n\n"),
            stream("retry: 20\ndata: c\n\n"),
            stream("retry: 9999999999\ndata: d\n\n"),
            .status(204)
        )
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "7", nil, nil, nil])
        #expect(time.sleeps == [.milliseconds(1500), .milliseconds(1500), .milliseconds(20), .seconds(300)])
    }

    @Test func `A connection that brought nothing is not followed by another at once`() async throws {
        let (events, _, time) = try await read(stream("retry: 0\n\n"), stream("data: a\n\n"), .status(204))
        #expect(events.map(\.data) == ["a"])
        #expect(time.sleeps == [.seconds(1), .zero])
    }

    @Test func `What was half an event when the connection ended is dropped`() async throws {
        let (events, _, _) = try await read(stream("data: a\n\ndata: b\n"), stream("\ndata: c\n\n"), .status(204))
        #expect(events.map(\.data) == ["a", "c"])
    }

    @Test func `The app says where to begin`() async throws {
        let options = EventStreamOptions.make { $0.lastEventId = "41" }
        let (_, server, _) = try await read(options: options, stream("data: a\n\n"), .status(204))
        #expect(server.requests.map { $0.header("Last-Event-ID") } == ["41", "41"])
        let (_, other, _) = try await read(stream("id: 2\ndata: a\n\n"), .status(204)) { request in
            request.setHeader(name: "Last-Event-ID", value: "1")
        }
        #expect(other.requests.map { $0.header("Last-Event-ID") } == ["1", "2"])
    }

    @Test func `A connection that breaks is replaced, with the last event's id`() async throws {
        let scripts: [Script] = [
            [.receiveHead, .send(Self.head + "id: 1\ndata: a\n\nid: 2\ndata: b"), .reset],
            [
                .receiveHead,
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .send("f\r\nid: 2\ndata: b\n\n\r\n"), .close,
            ],
            [.receiveHead, .send("HTTP/1.1 204 No Content\r\n\r\n")],
        ]
        try await withScriptedServer(scripts) { server in
            let time = ManualTime()
            let client = HttpClient.createClient { $0.retryTime = time.retryTime }
            var events: [ServerSentEvent] = []
            for try await event in client.events({ $0.url = "http://\(server.authority)/" }) { events.append(event) }
            #expect(events == [ServerSentEvent(id: "1", data: "a"), ServerSentEvent(id: "2", data: "b")])
            #expect(server.requests.map { $0["Last-Event-ID"].first } == [nil, "1", "2"])
            #expect(time.sleeps.count == 2)
            #expect(time.sleeps.allSatisfy { $0 >= .seconds(3) && $0 <= .seconds(6) })
        }
    }

    @Test func `A server that says nothing for too long is asked again`() async throws {
        let silent = stream("id: 1\ndata: a\n\n").with(.stallBody(after: 15))
        let (events, server, time) = try await read(silent, .status(204)) { $0.timeout = 0.3 }
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "1"])
        #expect(time.sleeps == [.seconds(3)])
    }

    @Test func `The limit on silence is the options', or else the request's or the client's`() async throws {
        let options = EventStreamOptions.make { $0.silence = .seconds(7) }
        let (_, first, _) = try await read(options: options, .status(204))
        let (_, second, _) = try await read(options: options, .status(204)) {
            $0.timeouts = Timeouts(idle: .seconds(9))
        }
        let (_, third, _) = try await read(.status(204)) { $0.timeouts = Timeouts(idle: .seconds(9)) }
        #expect([first, second, third].map { $0.requests.first?.timeouts.idle } == [7, 7, 9].map { .seconds($0) })
    }

    @Test func `There is no limit on the whole, and the head has the client's`() async throws {
        let (_, server, _) = try await read(stream("data: a\n\n"), .status(204))
        #expect(server.requests.map(\.timeouts.total) == [nil, nil])
        #expect(server.requests.map(\.timeouts.head) == [.seconds(15), .seconds(15)])
        #expect(server.requests.map(\.timeouts.idle) == [.seconds(60), .seconds(60)])
    }

    // MARK: Failures

    @Test(arguments: [429, 500, 502, 503, 504, 408])
    func `A status that may pass is tried again, and waits as long as the server asks`(status: Int) async throws {
        let busy = MockResponse.status(status).header(.retryAfter, "7")
        let (events, _, time) = try await read(busy, busy, stream("data: a\n\n"), .status(204))
        #expect(events.map(\.data) == ["a"])
        #expect(time.sleeps == [.seconds(7), .seconds(7), .seconds(3)])
    }

    @Test func `A server may ask for less than the time to connect again, and not for more than the policy waits`()
        async throws
    {
        let (_, _, time) = try await read(.status(503).header(.retryAfter, "1"), .status(204))
        #expect(time.sleeps == [.seconds(1)])
        let (late, server, _) = await outcome(of: [.status(503).header(.retryAfter, "3600")])
        #expect(late.error != nil)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [201, 206, 301, 400, 401, 403, 404, 410, 501])
    func `Any other status ends the stream, with its body in the error`(status: Int) async throws {
        let (client, server) = client(sequence(stream("id: 3\ndata: a\n\n"), .text("no way", status: status))) {
            config in
            config.retryTime = ManualTime().retryTime
        }
        let error = await #expect(throws: EventStreamError.self) {
            for try await _ in client.events(request: makeRequest()) {}
        }
        guard case .status(let response) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.status.code == status)
        #expect(response.bodyAsString() == "no way")
        #expect(error?.lastEventId == "3")
        #expect("\(error!)".hasPrefix("GET https://api.example.com/: the server answered with status \(status)"))
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [nil, "text/html", "text/plain; a=text/event-stream", "text/event-streams", "application/json"])
    func `Another content type ends the stream`(type: String?) async throws {
        var response = MockResponse.text("data: a\n\n")
        response.headers[.contentType] = type
        let (client, server) = client(response)
        let error = await #expect(throws: EventStreamError.self) {
            for try await _ in client.events(request: makeRequest()) {}
        }
        #expect("\(error!)".contains("instead of text/event-stream"))
        #expect(type == nil || "\(error!)".contains(type!))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["text/event-stream", "Text/Event-Stream ; charset=utf-8", "text/event-stream;charset=latin1"])
    func `Parameters and case of the content type do not matter`(type: String) async throws {
        var response = stream("data: é\n\n")
        response.headers[.contentType] = type
        let (events, _, _) = try await read(response, .status(204))
        #expect(events.map(\.data) == ["é"])
    }

    @Test func `Failures are counted while no event comes, and the last one says so`() async throws {
        let fail = MockResponse.fail(.connectionFailed("refused"))
        let (events, server, time) = await outcome(
            of: [fail, stream("data: a\n\n")] + Array(repeating: fail, count: 20)
        )
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.count == 12)
        #expect(time.sleeps.count == 11)
        #expect(time.sleeps.allSatisfy { $0 >= .seconds(3) && $0 <= .seconds(63) })
        #expect(events.error.map { "\($0)" }?.contains("refused, in the last of 10 attempts") == true)
    }

    @Test func `The policy of the client or the request takes the place of ours`() async throws {
        let fail = MockResponse.fail(.connectionFailed("refused"))
        let (events, server, time) = await outcome(of: [fail]) { request in
            request.retry = .constant(attempts: 3, delay: .seconds(1))
        }
        #expect(events.error != nil)
        #expect(server.requests.count == 3)
        #expect(time.sleeps == [.seconds(4), .seconds(4)])
        let (_, once, _) = await outcome(of: [fail]) { $0.retry = .never }
        #expect(once.requests.count == 1)
    }

    @Test func `Those who watch retries see these too`() async throws {
        let seen = Journal()
        let (client, _) = client(sequence(.status(503), stream("data: a\n\n"), .status(204))) { config in
            config.retryTime = ManualTime().retryTime
            config.onRetry { notice in seen.add("\(notice.attempt): \((try? notice.outcome.get())?.status.code ?? 0)") }
        }
        for try await _ in client.events(request: makeRequest()) {}
        #expect(seen.entries == ["1: 503"])
    }

    @Test(arguments: [HttpMethod.post, .patch])
    func `A request that must not be repeated is sent once, and its end is the stream's`(method: HttpMethod)
        async throws
    {
        let (events, server, _) = try await read(stream("data: a\n\n")) { $0.setMethod(method) }
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.count == 1)
    }

    @Test func `A stream that is not to go on ends with its connection`() async throws {
        let options = EventStreamOptions.make { $0.reconnects = false }
        let (events, server, time) = try await read(options: options, stream("data: a\n\n"))
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.count == 1)
        #expect(time.sleeps.isEmpty)
        let cut = stream("data: a\n\ndata: b\n\n").with(.cut(after: 9))
        let (broken, _, _) = await outcome(of: [cut], options: options)
        #expect(broken.map(\.data) == ["a"])
        #expect(broken.error != nil)
    }

    @Test func `What is too large ends the stream, as it would come again`() async throws {
        let options = EventStreamOptions.make { options in
            options.maximumLineSize = 20
            options.maximumEventSize = 25
        }
        let line = "data: \(String(repeating: "x", count: 15))\n\n"
        let (first, server, _) = await outcome(of: [stream("id: 1\ndata: a\n\n" + line)], options: options)
        #expect(first.map(\.data) == ["a"])
        #expect(first.error?.lastEventId == "1")
        #expect(first.error?.description.contains("longer than 20 bytes; raise maximumLineSize") == true)
        #expect(server.requests.count == 1)
        let lines = String(repeating: "data: 1234567890\n", count: 3)
        let (second, _, _) = await outcome(of: [stream(lines)], options: options)
        #expect(second.error?.description.contains("more than 25 bytes of data; raise maximumEventSize") == true)
    }

    @Test func `An id that no header can hold ends the stream before anything is lost`() async throws {
        let (events, server, _) = await outcome(of: [stream("id: a\u{1}b\ndata: a\n\n")])
        #expect(events.map(\.id) == ["a\u{1}b"])
        #expect(events.error?.description.contains("Last-Event-ID contains a control character") == true)
        #expect(server.requests.count == 1)
    }

    @Test func `A wait ends when the task is cancelled`() async throws {
        let isWaiting = Signal()
        let time = RetryTime(now: { .zero }, date: { Date() }) { _ in
            isWaiting.fire()
            try await Task.sleep(for: .seconds(1000))
        }
        let (client, _) = client(stream("data: a\n\n")) { $0.retryTime = time }
        let reading = Task { for try await _ in client.events(request: makeRequest()) {} }
        try await isWaiting.wait()
        reading.cancel()
        let error = await #expect(throws: EventStreamError.self) { try await reading.value }
        #expect(error?.isCancellation == true)
    }

    // MARK: The pipeline

    @Test func `Redirects, cookies and credentials are those of any call`() async throws {
        let server = MockTransport()
        server.on(.get, "/a", .redirect(to: "/b").header(.setCookie, "id=1"))
        let isSecond = Locked(false)
        server.on(.get, "/b") { _ in
            isSecond.withLock { isSecond in
                defer { isSecond = true }
                return isSecond ? .status(204) : stream("data: x\n\n")
            }
        }
        let (client, _) = client(server) { config in
            config.retryTime = ManualTime().retryTime
            config.redirects = .follow(limit: 3)
            config.authentication = [.basic(user: "ada", password: "x", for: "https://api.example.com")]
        }
        for try await _ in client.events(request: makeRequest("https://api.example.com/a")) {}
        #expect(server.requests.map(\.path) == ["/a", "/b", "/a", "/b"])
        #expect(server.requests.allSatisfy { $0.header("Authorization")?.hasPrefix("Basic ") == true })
        #expect(server.requests.dropFirst().allSatisfy { $0.header("Cookie") == "id=1" })
    }

    // MARK: Helpers

    /// Reads a stream to its end.
    private func read(
        options: EventStreamOptions = EventStreamOptions(),
        _ answers: MockResponse...,
        build: (inout HttpRequest) -> Void = { _ in }
    ) async throws -> ([ServerSentEvent], MockTransport, ManualTime) {
        let (outcome, server, time) = await outcome(of: answers, options: options, build)
        if let error = outcome.error { throw error }
        return (outcome.events, server, time)
    }

    private func outcome(
        of answers: [MockResponse],
        options: EventStreamOptions = EventStreamOptions(),
        _ build: (inout HttpRequest) -> Void = { _ in }
    ) async -> (Outcome, MockTransport, ManualTime) {
        let time = ManualTime()
        let left = Locked(answers)
        let server = MockTransport { _ in left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        let (client, _) = client(server) { $0.retryTime = time.retryTime }
        var outcome = Outcome()
        do {
            for try await event in client.events(
                request: makeRequest("https://api.example.com/", build),
                options: options
            ) {
                outcome.events.append(event)
            }
        } catch {
            outcome.error = error
        }
        return (outcome, server, time)
    }
}

/// What was read of a stream.
@dynamicMemberLookup
private struct Outcome {
    var events: [ServerSentEvent] = []
    var error: EventStreamError?

    func map<Value>(_ path: KeyPath<ServerSentEvent, Value>) -> [Value] { events.map { $0[keyPath: path] } }

    subscript<Value>(dynamicMember path: KeyPath<[ServerSentEvent], Value>) -> Value { events[keyPath: path] }
}

extension EventStreamOptions {
    fileprivate static func make(_ change: (inout EventStreamOptions) -> Void) -> EventStreamOptions {
        var options = EventStreamOptions()
        change(&options)
        return options
    }
}

private func stream(_ text: String) -> MockResponse {
    var response = MockResponse.text(text)
    response.headers[.contentType] = "text/event-stream"
    return response
}
