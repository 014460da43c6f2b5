import Foundation

/// What is to be done next with the transfers of a queue. Pure: it is told the time.
struct QueuePlan: Sendable, Equatable {
    /// What is begun now, in this order.
    var start: [QueueEntry] = []
    /// The keys of what is stopped, as it was cancelled, paused or removed.
    var stop: Set<String> = []
    /// What has ended, and is not being made any more.
    var ended: [QueueEntry] = []
    /// When the next attempt is due of what has to wait for its time.
    var wake: Date?
    /// Whether nothing is left to do but what is paused.
    var isEmpty = true

    /// - Parameters:
    ///   - entries: All transfers, in the order in which they came.
    ///   - running: The keys of those that are being made.
    ///   - concurrency: How many are made at a time.
    init(_ entries: [QueueEntry], running: Set<String>, concurrency: Int, now: Date) {
        stop = running
        var due: [QueueEntry] = []
        for entry in entries {
            if entry.end != nil {
                if !running.contains(entry.key) { ended.append(entry) }
                continue
            }
            if entry.isPaused { continue }
            isEmpty = false
            if stop.remove(entry.key) != nil { continue }
            if let next = entry.nextAttempt, next > now {
                wake = min(wake ?? next, next)
            } else {
                due.append(entry)
            }
        }
        if !running.isEmpty { isEmpty = false }
        // Those that came first are first, within a priority.
        let ordered = due.enumerated().sorted { first, second in
            (second.element.transfer.priority, first.offset) < (first.element.transfer.priority, second.offset)
        }
        let room = max(0, min(max(concurrency, 1), 64) - running.count)
        start = ordered.prefix(room).map(\.element)
    }
}
