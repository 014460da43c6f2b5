import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct QueueReportsTests {
    @Test func `Updates begin with the current state of each transfer and continue with changes`()
        async throws
    {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            var updates = queue.updates.makeAsyncIterator()
            #expect(try await updates.next()?.state == .waiting)
            try await queue.enqueue(.test("two", in: files))
            #expect(try await updates.next()?.identifier == "two")
            try await queue.pause("one")
            #expect(try await updates.next()?.state == .paused)
            let other = try TransferQueue(folder: folder, runner: TestRunner())
            try await other.runUntilEmpty()
            var last: [String: TransferReport.State] = [:]
            while last != ["two": .finished] {
                let report = try #require(await updates.next())
                last[report.identifier] = report.state
            }
        }
    }

    @Test func `The progress of a transfer is reported to other processes`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            let other = try TransferQueue(folder: folder, runner: TestRunner())
            try await running(queue) {
                for try await report in other.updates where report.progress.completedBytes == 10 {
                    #expect(report.state == .running)
                    #expect(report.progress.totalBytes == 40)
                    break
                }
            }
            #expect(try await other.transfers().map(\.state) == [.waiting])
        }
    }

    @Test func `Waiting for a transfer ends when the task is cancelled`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    let text = await refusal { () throws(TransferError) in _ = try await queue.result(of: "one") }
                    #expect(text.contains("the wait for the transfer one was cancelled"))
                }
                group.cancelAll()
            }
        }
    }
}
