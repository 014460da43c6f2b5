import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

/// Transfers that are stopped while they are running.
@Suite(.concurrencyLimited) struct QueueStoppingTests {
    @Test func `A running transfer can be cancelled, also by another process, and only once`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            let other = try TransferQueue(folder: folder, runner: TestRunner())
            try await running(queue) {
                try await runner.begun.wait("both to begin") { $0.count == 2 }
                try await queue.cancel("one")
                try await other.cancel("two")
                try await runner.most.wait("both to stop") { $0.now == 0 }
            }
            let reports = try await queue.transfers()
            #expect(reports.map(\.state) == [.cancelled, .cancelled])
            try await queue.cancel("one")
            #expect(try await queue.transfers() == reports)
            #expect(runner.begun.value.count == 2)
        }
    }

    @Test func `A transfer that completes after being cancelled remains cancelled`() async throws {
        try await withQueueFolder { folder, files in
            let isCancelled = Signal()
            let runner = TestRunner { _ throws(TransferError) in
                try? await isCancelled.wait()
                return .uploaded(status: 200, body: Data())
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
                try await queue.cancel("one")
                isCancelled.fire()
                try await runner.most.wait("it to stop") { $0.now == 0 }
            }
            #expect(try await queue.result(of: "one").state == .cancelled)
        }
    }

    @Test func `A paused transfer stops and runs again when it is resumed`() async throws {
        try await withQueueFolder { folder, files in
            let mayFinish = Watched(false)
            let runner = TestRunner { job throws(TransferError) in
                if mayFinish.value { return .uploaded(status: 200, body: Data()) }
                return try await untilCancelled(job)
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
                try await queue.pause("one")
                #expect(try await queue.transfers().map(\.state) == [.paused])
                try await runner.most.wait("it to stop") { $0.now == 0 }
                mayFinish.update { $0 = true }
                try await queue.resume("one")
                #expect(try await queue.result(of: "one").state == .finished)
            }
            #expect(runner.begun.value == ["one", "one"])
        }
    }

    @Test func `A removed transfer is stopped and deleted`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            try await queue.remove("two")
            #expect(try await queue.transfers().map(\.identifier) == ["one"])
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
                try await queue.remove("one")
                try await runner.most.wait("it to stop") { $0.now == 0 }
            }
            #expect(try await queue.transfers().isEmpty)
            let text = await refusal { () throws(TransferError) in _ = try await queue.result(of: "one") }
            #expect(text.hasSuffix("the queue has no transfer \"one\""))
            try await queue.runUntilEmpty()
            #expect(try names(below: folder.appendingPathComponent("gone")).isEmpty)
        }
    }
}
