import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct QueueRunTests {
    @Test func `No more transfers run concurrently than the limit, and high priorities run first`() async throws {
        try await withQueueFolder { folder, files in
            let begun = Watched(0)
            let runner = TestRunner { _ throws(TransferError) in
                begun.update { $0 += 1 }
                try? await begun.wait("three to begin") { $0 >= 3 }
                return .uploaded(status: 200, body: Data())
            }
            var options = TransferQueueOptions()
            options.concurrency = 3
            let queue = try TransferQueue(folder: folder, runner: runner, options: options)
            for number in 0..<9 { try await queue.enqueue(.test("t\(number)", in: files)) }
            for number in 0..<3 { try await queue.enqueue(.test("h\(number)", in: files, priority: .high)) }
            try await queue.runUntilEmpty()
            #expect(runner.most.value.most == 3)
            #expect(Set(runner.begun.value.prefix(3)) == ["h0", "h1", "h2"])
            #expect(runner.begun.value.count == 12)
            #expect(try await queue.transfers().allSatisfy { $0.state == .finished })
        }
    }

    @Test func `A closed client leaves the transfers in the queue`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner { _ throws(TransferError) in throw TransferError(.network(.clientClosed("closed")))
            }
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            #expect(await refusal { () throws(TransferError) in try await queue.runUntilEmpty() } == "closed")
            #expect(try await queue.transfers().map(\.state) == [.waiting])
        }
    }

    @Test func `A transfer that is running when the run is cancelled returns to waiting`() async throws {
        try await withQueueFolder { folder, files in
            let runner = TestRunner(untilCancelled)
            let queue = try TransferQueue(folder: folder, runner: runner)
            try await queue.enqueue(.test("one", in: files))
            try await running(queue) {
                try await runner.begun.wait("it to begin") { $0 == ["one"] }
            }
            let report = try #require(await queue.transfers().first)
            #expect(report.state == .waiting)
            #expect(report.failedAttempts == 0)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("running").path))
        }
    }

    @Test func `A paused transfer does not prevent runUntilEmpty from returning`() async throws {
        try await withQueueFolder { folder, files in
            let queue = try TransferQueue(folder: folder, runner: TestRunner())
            try await queue.enqueue(.test("one", in: files))
            try await queue.enqueue(.test("two", in: files))
            try await queue.pause("one")
            try await queue.runUntilEmpty()
            #expect(try await queue.transfers().map(\.state) == [.paused, .finished])
        }
    }

    @Test func `One process runs the transfers, and another takes over when it ends`() async throws {
        try await withQueueFolder { folder, files in
            let first = TestRunner(untilCancelled)
            let second = TestRunner()
            let queue = try TransferQueue(folder: folder, runner: first)
            let other = try TransferQueue(folder: folder, runner: second)
            try await queue.enqueue(.test("one", in: files))
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await running(queue) {
                    try await first.begun.wait("the first to begin") { $0 == ["one"] }
                    group.addTask { try await other.runUntilEmpty() }
                    try await queue.enqueue(.test("two", in: files))
                    try await first.begun.wait("the first to begin both") { $0.count == 2 }
                    #expect(second.begun.value.isEmpty)
                }
                try await group.waitForAll()
            }
            #expect(Set(second.begun.value) == ["one", "two"])
            #expect(try await other.transfers().map(\.state) == [.finished, .finished])
        }
    }
}
