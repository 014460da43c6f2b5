import ClientTestSupport
import Foundation
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport

/// The idle timeout and the timeout of a stream.
@Suite(.concurrencyLimited) struct EventTimeTests {
    /// Returns the result of a stream whose connections end after an event, by the idle timeout or the timeout of the stream.
    private func readSilent(
        _ build: (inout HttpRequest) -> Void = { _ in },
        _ whenSilent: @escaping @Sendable (ManualTime) async -> Void = { _ in }
    ) async -> (EventOutcome, MockTransport, ManualTime) {
        let time = ManualTime()
        let server = sequence(eventStream("id: 1\ndata: a\n\n"), .status(204))
        let (client, _) = makeClient(server) { config in
            config.retryTime = time.retryTime
            config.addWireInterceptor(Silence { await whenSilent(time) })
        }
        var outcome = EventOutcome()
        do {
            let request = makeRequest("https://api.example.com/", build)
            for try await event in client.events(request: request) { outcome.events.append(event) }
        } catch {
            outcome.error = error
        }
        return (outcome, server, time)
    }

    @Test func `A stream reconnects after an idle timeout`() async throws {
        let (events, server, time) = await readSilent()
        #expect(events.error == nil)
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "1"])
        #expect(time.sleeps == [.seconds(3)])
    }

    @Test func `The request's timeout covers all connections of the stream and the waits between them`()
        async throws
    {
        let (events, server, time) = await eventOutcome(of: [eventStream("data: a\n\n")]) { $0.timeout = 10 }
        #expect(events.map(\.data) == ["a", "a", "a", "a"])
        #expect(server.requests.map(wholeSeconds) == [10, 7, 4, 1])
        #expect(server.requests.allSatisfy { $0.timeouts.head == nil })
        #expect(time.sleeps == [.seconds(3), .seconds(3), .seconds(3)])
        #expect(isTimeout(events.error))
        #expect(events.error?.description.contains("the timeout of its request, 10 s") == true)
    }

    @Test func `The default total timeout of a request's timeouts limits only each response's head`() async throws {
        let (_, server, _) = try await readEvents(eventStream("data: a\n\n"), .status(204)) {
            $0.timeouts = Timeouts(connect: .seconds(3))
        }
        #expect(server.requests.map(\.timeouts.total) == [nil, nil])
        #expect(server.requests.map(\.timeouts.head) == [.seconds(15), .seconds(15)])
        #expect(server.requests.map(\.timeouts.connect) == [.seconds(3), .seconds(3)])
    }

    @Test func `The timeout of the stream ends it during an open connection`() async throws {
        let (events, server, _) = await readSilent {
            $0.timeout = 1000
        } _: { time in
            try? await time.retryTime.sleep(.seconds(1000))
        }
        #expect(events.map(\.data) == ["a"])
        #expect(events.error?.lastEventId == "1")
        #expect(isTimeout(events.error))
        #expect(server.requests.count == 1)
    }

    @Test func `A failure is reported if no time is left for another attempt`() async throws {
        let (events, server, _) = await eventOutcome(of: [.status(503)]) { $0.timeout = 2 }
        guard case .status(let response) = events.error?.reason else {
            Issue.record("\(String(describing: events.error))")
            return
        }
        #expect(response.status.code == 503)
        #expect(server.requests.count == 1)
    }

    /// The timeout that the transport received, which is reduced by the time that the call has taken before.
    private func wholeSeconds(_ request: MockRequest) -> Double? {
        request.timeouts.total.map { ($0 / .seconds(1)).rounded(.up) }
    }

    private func isTimeout(_ error: EventStreamError?) -> Bool {
        if case .network(.timeout) = error?.reason { return true }
        return false
    }
}

/// An interceptor that ends each body with a timeout error.
private struct Silence: Interceptor {
    let whenSilent: @Sendable () async -> Void

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var response = try await next(request)
        response.bodyStream = ResponseBody(
            length: nil,
            source: SilentBody(body: response.bodyStream, whenSilent: whenSilent)
        )
        return response
    }
}

private struct SilentBody: ResponseBodySource {
    let body: ResponseBody
    let whenSilent: @Sendable () async -> Void

    func read() async throws(NetworkError) -> Data? {
        do {
            var chunks = body.makeAsyncIterator()
            if let chunk = try await chunks.next() { return chunk }
        } catch {
            throw error as? NetworkError ?? .cancelled("in vain")
        }
        await whenSilent()
        throw .timeout("nothing came for too long")
    }

    var trailers: HTTPFields { body.trailers }

    func cancel() { body.cancel() }
}
