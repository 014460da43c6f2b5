import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct QueuePlanTests {
    private let now = Date(timeIntervalSince1970: 1_000)

    private func entry(
        _ identifier: String,
        _ priority: QueuedTransfer.Priority = .normal,
        _ change: (inout QueueEntry) -> Void = { _ in }
    ) -> QueueEntry {
        let transfer = QueuedTransfer.download(
            "https://example.com/",
            to: .file(URL(fileURLWithPath: "/tmp/a")),
            identifier: identifier,
            priority: priority
        )
        var entry = QueueEntry(transfer, enqueued: now)
        change(&entry)
        return entry
    }

    private func plan(_ entries: [QueueEntry], running: [QueueEntry] = [], concurrency: Int = 4) -> QueuePlan {
        QueuePlan(entries, running: Set(running.map(\.key)), concurrency: concurrency, now: now)
    }

    @Test func `Transfers start by priority and then in order`() {
        let entries = [entry("a"), entry("b", .low), entry("c", .high), entry("d"), entry("e", .high)]
        #expect(plan(entries, concurrency: 9).start.map(\.identifier) == ["c", "e", "a", "d", "b"])
        #expect(plan(entries, concurrency: 2).start.map(\.identifier) == ["c", "e"])
    }

    @Test func `No more transfers start than the concurrency allows`() {
        let entries = (0..<100).map { entry("t\($0)") }
        #expect(plan(entries, running: Array(entries[0..<3])).start.map(\.identifier) == ["t3"])
        #expect(plan(entries, running: Array(entries[0..<4])).start.isEmpty)
        #expect(plan(entries, concurrency: 0).start.count == 1)
        #expect(plan(entries, concurrency: 1_000).start.count == 64)
    }

    @Test func `A transfer that is not due is awaited, and a paused one is not`() {
        let entries = [
            entry("a") { $0.nextAttempt = now + 5 }, entry("b") { $0.nextAttempt = now + 3 },
            entry("c") { $0.nextAttempt = now }, entry("d") { $0.isPaused = true },
        ]
        let result = plan(entries)
        #expect(result.start.map(\.identifier) == ["c"])
        #expect(result.wake == now + 3)
        #expect(!result.isEmpty)
        #expect(plan([entries[3]]).isEmpty)
        #expect(plan([]).isEmpty)
    }

    @Test func `Cancelled, paused and removed transfers are stopped`() {
        let running = ["a", "b", "c", "d"].map { entry($0) }
        var entries = Array(running.dropLast())
        entries[0].end = QueueEntry.End(kind: .cancelled, date: now)
        entries[1].isPaused = true
        let result = plan(entries, running: running)
        #expect(result.stop == Set([running[0], running[1], running[3]].map(\.key)))
        #expect(result.ended.isEmpty)
        #expect(!result.isEmpty)
    }

    @Test func `Only an ended transfer that is no longer running is cleaned up`() {
        let ended = [entry("a") { $0.end = .init(kind: .finished, date: now) }]
        #expect(plan(ended).ended == ended)
        #expect(plan(ended).isEmpty)
        #expect(plan(ended, running: ended).ended.isEmpty)
        #expect(!plan(ended, running: ended).isEmpty)
    }
}
