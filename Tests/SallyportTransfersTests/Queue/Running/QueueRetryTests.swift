import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct QueueRetryTests {
    @Test func `A failed transfer is retried after a delay and fails after the maximum attempts`() async throws {
        try await withQueueFolder { folder, files in
            let time = StandingTime(passesBySleeping: true)
            let dates = Watched<[Date]>([])
            let runner = TestRunner { _ throws(TransferError) in
                dates.update { $0.append(time.date) }
                throw TransferError(.network(.connectionLost("lost")))
            }
            var options = TransferQueueOptions()
            options.retry = RetryPolicy(attempts: 3, backoff: .constant(.seconds(30)))
            let queue = try TransferQueue(folder: folder, runner: runner, options: options, time: time.retryTime)
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            let report = try await queue.result(of: "one")
            #expect(report.state == .failed)
            #expect(report.error == "lost")
            #expect(report.failedAttempts == 3)
            #expect(report.nextAttempt == nil)
            #expect(dates.value.count == 3)
            for (earlier, later) in zip(dates.value, dates.value.dropFirst()) {
                #expect((30...31).contains(later.timeIntervalSince(earlier)))
            }
        }
    }

    @Test func `A failed transfer keeps the response with which the server refused it`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner { _ throws(TransferError) in
                let body = Data(repeating: 1, count: 100_000)
                throw TransferError(.status(HttpResponse(status: .gone, body: body, request: HttpRequest())))
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            let report = try await queue.result(of: "one")
            #expect(report.state == .failed)
            #expect(report.result == .response(status: 410, body: Data(repeating: 1, count: 65_536)))
            try await queue.retry("one")
            #expect(try await queue.transfers().first?.result == nil)
        }
    }

    @Test func `A waiting transfer reports its next attempt, which the next process also awaits`() async throws {
        try await withQueueFolder { folder, files in
            let time = StandingTime()
            let runner = TestRunner { _ throws(TransferError) in throw TransferError(.network(.timeout("late"))) }
            var options = TransferQueueOptions()
            options.retry = RetryPolicy(attempts: 3, backoff: .constant(.seconds(30)))
            let queue = try TransferQueue(folder: folder, runner: runner, options: options, time: time.retryTime)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                for try await report in queue.updates where report.failedAttempts == 1 && report.state == .waiting {
                    #expect(report.error == "late")
                    #expect(report.nextAttempt == time.date + 30)
                    break
                }
            }
            let next = try TransferQueue(folder: folder, runner: runner, options: options, time: time.retryTime)
            try await next.enqueue(.test("two", in: files))
            try await running(next) {
                try await runner.begun.wait("the other to begin") { $0.last == "two" }
            }
            #expect(runner.begun.value == ["one", "two"])
        }
    }

    @Test func `A permanent error fails at once, and the transfer can be retried manually`() async throws {
        try await withQueueFolder { folder, files in
            let isMended = Watched(false)
            let runner = TestRunner { _ throws(TransferError) in
                if isMended.value { return .uploaded(status: 200, body: Data()) }
                throw TransferError(.diskFull(files))
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            let failed = try await queue.result(of: "one")
            #expect(failed.state == .failed)
            #expect(failed.error == TransferError(.diskFull(files)).description)
            isMended.update { $0 = true }
            try await queue.enqueue(.test("one", in: files))
            try await queue.runUntilEmpty()
            #expect(try await queue.result(of: "one") == failed)
            try await queue.retry("one")
            try await queue.runUntilEmpty()
            #expect(try await queue.result(of: "one").state == .finished)
            #expect(try await queue.result(of: "one").error == nil)
            try await queue.retry("one")
            #expect(try await queue.result(of: "one").state == .finished)
        }
    }
}
