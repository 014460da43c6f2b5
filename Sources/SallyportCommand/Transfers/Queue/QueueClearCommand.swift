import ArgumentParser
import Sallyport
import SallyportTransfers

/// Removes the transfers of the queue that have ended.
struct QueueClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes all transfers that have ended from the queue. Complete files are not removed.",
        discussion: """
            Failed transfers are removed too, with their partial files; to repeat them instead, use queue retry before.
            """
    )

    @Flag(help: "Also cancel and remove the transfers that have not ended.")
    var all = false

    @OptionGroup(title: "Queue Options")
    var queue: QueueOptions

    func run() async throws {
        var (removed, left) = (0, 0)
        if queue.exists {
            (removed, left) = try await queue.withQueue { queue in
                let reports = try await queue.transfers()
                let removed = reports.filter { all || $0.state.isEnd }
                for report in removed { try await queue.remove(report.identifier) }
                return (removed.count, reports.count - removed.count)
            }
        }
        let rest =
            left == 0 ? "" : left == 1 ? " 1 has not ended, and remains." : " \(left) have not ended, and remain."
        StandardError.print((removed == 1 ? "1 transfer was removed." : "\(removed) transfers were removed.") + rest)
    }
}
