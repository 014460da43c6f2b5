import Foundation
import Sallyport

/// Decides which transfers to start, stop and clean up. It performs no I/O.
struct QueuePlan: Sendable, Equatable {
    /// The transfers to start now, in this order.
    var start: [QueueEntry] = []
    /// The keys of the transfers to stop, as they were cancelled, paused or removed.
    var stop: Set<String> = []
    /// The transfers that have ended and are no longer running.
    var ended: [QueueEntry] = []
    /// The date of the earliest next attempt.
    var wake: Date?
    /// A Boolean value that indicates whether nothing is left to do except for paused transfers.
    var isEmpty = true

    /// - Parameters:
    ///   - entries: All transfers, in the order they were enqueued.
    ///   - running: The keys of the running transfers.
    ///   - concurrency: The maximum number of transfers to run in parallel.
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
        // Within a priority, the transfers that were enqueued first come first.
        let ordered = due.enumerated().sorted { first, second in
            (second.element.transfer.priority, first.offset) < (first.element.transfer.priority, second.offset)
        }
        let free = max(0, min(max(concurrency, 1), 64) - running.count)
        start = ordered.prefix(free).map(\.element)
    }
}
