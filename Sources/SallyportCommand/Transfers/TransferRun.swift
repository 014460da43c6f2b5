import Foundation
import Sallyport
import SallyportTransfers

/// Runs transfers, a limited number at a time, and shows their progress.
struct TransferRun<Value: Sendable>: Sendable {
    /// A transfer that begins when one of the running transfers ends.
    struct Job: Sendable {
        /// The name in the display until the transfer has ended.
        let name: String
        /// A Boolean value that indicates whether a line reports from where an earlier transfer is continued.
        var reportsResumption = false
        let begin: @Sendable () -> Transfer<Value>
    }

    /// The result of a transfer.
    struct End: Sendable {
        /// The index of the job.
        let index: Int
        let result: Result<Value, TransferError>
        /// The final progress.
        let progress: TransferProgress
        /// The duration of the transfer.
        let time: Duration
        /// A Boolean value that indicates whether the time limit of the command ended the transfer.
        let isTimedOut: Bool
    }

    private enum Event: Sendable {
        case ended(Int, Result<Value, TransferError>, TransferProgress, Duration)
        case timeout
    }

    let display: TransferDisplay
    /// The maximum number of concurrent transfers.
    let atOnce: Int
    /// The time limit for all transfers together, unless the command has a deadline.
    let timeout: Duration?

    /// Runs all transfers. When the task is cancelled, running transfers stop and no others begin.
    ///
    /// - Parameter ended: A closure that is called when a transfer has ended.
    func run(_ jobs: [Job], ended: (End) -> Void) async {
        let timeout = CommandDeadline.current?.remaining ?? timeout
        await display.whileShown {
            await withTaskGroup(of: Event.self) { group in
                var waiting = Array(jobs.enumerated())[...]
                var running = 0
                var isTimedOut = false
                func beginMore() {
                    while running < atOnce, !Task.isCancelled, !isTimedOut, let (index, job) = waiting.popFirst() {
                        running += 1
                        group.addTask { await run(job, index) }
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
                        // The sleep also ends when the task is cancelled.
                        isTimedOut = !Task.isCancelled
                        group.cancelAll()
                    case .ended(let index, let result, let progress, let time):
                        running -= 1
                        ended(
                            End(index: index, result: result, progress: progress, time: time, isTimedOut: isTimedOut)
                        )
                        beginMore()
                    }
                }
                group.cancelAll()
            }
        }
    }

    private func run(_ job: Job, _ index: Int) async -> Event {
        let start = ContinuousClock.now
        let transfer = job.begin()
        display.add("\(index)", name: job.name) { transfer.currentProgress }
        var reason: String?
        var resumed: Int64 = 0
        for await progress in transfer.progress {
            if progress.startedOver != reason {
                reason = progress.startedOver
                if let reason { display.inform("\(job.name): starts over because \(reason)") }
            }
            if progress.resumedBytes != resumed {
                resumed = progress.resumedBytes
                if job.reportsResumption, resumed > 0 {
                    display.inform("\(job.name): resumes from \(Format.size(resumed, of: progress.totalBytes))")
                }
            }
        }
        let result = await transfer.result
        display.remove("\(index)")
        return .ended(index, result, transfer.currentProgress, ContinuousClock.now - start)
    }
}
