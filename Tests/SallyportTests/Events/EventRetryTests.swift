import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

/// The number and timing of the retries of a failed stream.
@Suite(.concurrencyLimited) struct EventRetryTests {
    @Test(arguments: [429, 500, 502, 503, 504, 408])
    func `A transient error status is retried after the time in Retry-After`(status: Int) async throws {
        let busy = MockResponse.status(status).header(.retryAfter, "7")
        let (events, _, time) = try await readEvents(busy, busy, eventStream("data: a\n\n"), .status(204))
        #expect(events.map(\.data) == ["a"])
        #expect(time.sleeps == [.seconds(7), .seconds(7), .seconds(3)])
    }

    @Test func `Retry-After may be shorter than the reconnection time, and is an error above the policy's maximum`()
        async throws
    {
        let (_, _, time) = try await readEvents(.status(503).header(.retryAfter, "1"), .status(204))
        #expect(time.sleeps == [.seconds(1)])
        let (late, server, _) = await eventOutcome(of: [.status(503).header(.retryAfter, "3600")])
        #expect(late.error.map { caseName(of: $0.reason) } == "status")
        #expect(server.requests.count == 1)
    }

    @Test func `The attempts since the last event are limited, and the error states their number`() async throws {
        let fail = MockResponse.fail(.connectionFailed("refused"))
        let (events, server, time) = await eventOutcome(
            of: [fail, eventStream("data: a\n\n")] + Array(repeating: fail, count: 20)
        )
        #expect(events.map(\.data) == ["a"])
        #expect(server.requests.count == 12)
        #expect(time.sleeps.count == 11)
        #expect(time.sleeps.allSatisfy { $0 >= .seconds(3) && $0 <= .seconds(63) })
        #expect(events.error.map { "\($0)" }?.contains("refused, in the last of 10 attempts") == true)
    }

    @Test func `The request's retry policy replaces the default for event streams`() async throws {
        let fail = MockResponse.fail(.connectionFailed("refused"))
        let (events, server, time) = await eventOutcome(of: [fail]) { request in
            request.retry = .constant(attempts: 3, delay: .seconds(1))
        }
        #expect(events.error?.description.contains("refused") == true)
        #expect(server.requests.count == 3)
        #expect(time.sleeps == [.seconds(4), .seconds(4)])
        let (_, once, _) = await eventOutcome(of: [fail]) { $0.retry = .never }
        #expect(once.requests.count == 1)
    }

    @Test func `Closing the client ends a stream that waits for a retry`() async throws {
        let (waits, wait) = AsyncStream.makeStream(of: Void.self)
        let (client, server) = makeClient(.status(503)) { config in
            config.retry = .constant(attempts: 3, delay: .seconds(3_600))
            config.onRetry { _ in wait.yield() }
        }
        let reading = Task { () -> EventStreamError? in
            do {
                for try await _ in client.events(request: makeRequest()) {}
                return nil
            } catch {
                return error as? EventStreamError
            }
        }
        for await _ in waits { break }
        client.close()
        let error = try await withDeadline(.patience, "the stream of a closed client") { await reading.value }
        guard case .network(.clientClosed)? = error?.reason else {
            Issue.record("not closed: \(String(describing: error))")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test func `Retries of a stream are reported to onRetry`() async throws {
        let seen = Journal()
        let (client, _) = makeClient(sequence(.status(503), eventStream("data: a\n\n"), .status(204))) { config in
            config.retryTime = ManualTime().retryTime
            config.onRetry { event in seen.add("\(event.attempt): \((try? event.outcome.get())?.status.code ?? 0)") }
        }
        for try await _ in client.events(request: makeRequest()) {}
        #expect(seen.entries == ["1: 503"])
    }
}
