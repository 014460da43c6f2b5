import Foundation
import Sallyport

/// Makes transfers, some at a time, and shows how they come along.
struct TransferRun<Value: Sendable>: Sendable {
    /// A transfer that begins when its turn comes.
    struct Job: Sendable {
        /// What it is called until it has ended.
        let name: String
        let begin: @Sendable () -> Transfer<Value>
    }

    /// How a transfer ended.
    struct End: Sendable {
        /// Its place among the jobs.
        let index: Int
        let result: Result<Value, TransferError>
        /// How long it took.
        let time: Duration
        /// Whether it was ended because everything took too long.
        let isTimedOut: Bool
    }

    private enum Event: Sendable {
        case ended(Int, Result<Value, TransferError>, Duration)
        case timeout
    }

    let display: TransferDisplay
    /// How many are made at a time.
    let atOnce: Int
    /// How long all of them may take.
    let timeout: Duration?

    /// Makes them all, and tells of each when it ends. When the task is cancelled, those under way end in order, and the
    /// others do not begin.
    func run(_ jobs: [Job], ended: (End) -> Void) async {
        await display.whileShown {
            await withTaskGroup(of: Event.self) { group in
                var waiting = Array(jobs.enumerated())[...]
                var running = 0
                var isTimedOut = false
                func beginMore() {
                    while running < atOnce, !Task.isCancelled, !isTimedOut, let (index, job) = waiting.popFirst() {
                        running += 1
                        group.addTask { await make(job, index) }
                    }
                    display.setWaiting(waiting.count)
                }
                if let timeout {
                    group.addTask {
                        try? await Task.sleep(for: timeout)
                        return .timeout
                    }
                }
                beginMore()
                while running > 0, let event = await group.next() {
                    switch event {
                    case .timeout:
                        // It ends early when the task is cancelled.
                        isTimedOut = !Task.isCancelled
                        group.cancelAll()
                    case .ended(let index, let result, let time):
                        running -= 1
                        ended(End(index: index, result: result, time: time, isTimedOut: isTimedOut))
                        beginMore()
                    }
                }
                group.cancelAll()
            }
        }
    }

    private func make(_ job: Job, _ index: Int) async -> Event {
        let start = ContinuousClock.now
        let transfer = job.begin()
        display.add("\(index)", name: job.name) { transfer.currentProgress }
        var reason: String?
        for await progress in transfer.progress where progress.startedOver != reason {
            reason = progress.startedOver
            if let reason { display.tell("\(job.name): starts over, as \(reason)") }
        }
        let result = await transfer.result
        display.remove("\(index)")
        return .ended(index, result, ContinuousClock.now - start)
    }
}
