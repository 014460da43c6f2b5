import ArgumentParser
import Sallyport
import SallyportTransfers

/// A subcommand that changes transfers of the queue.
protocol QueueChangeCommand: AsyncParsableCommand {
    var identifiers: QueueIdentifiers { get }

    /// The report of a change, which follows the identifier of a transfer: "was cancelled".
    static var report: String { get }

    /// Returns the reason why a transfer cannot be changed in this manner; `nil` if it can.
    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String?

    /// Changes one transfer.
    static func change(_ identifier: String, in queue: TransferQueue) async throws
}

extension QueueChangeCommand {
    func run() async throws {
        try await identifiers.queue.withQueue { queue in
            let known = Dictionary(try await queue.transfers().map { ($0.identifier, $0) }) { $1 }
            for report in identifiers.all.compactMap({ known[$0] }) {
                if let objection = Self.objection(report, identifiers.queue) {
                    StandardError.print("sallyport: \(report.identifier) \(objection)")
                } else {
                    try await Self.change(report.identifier, in: queue)
                    StandardError.print("The transfer \(report.identifier) \(Self.report).")
                }
            }
            let unknown = identifiers.all.filter { known[$0] == nil }
            if unknown.isEmpty { return }
            let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
            let list = identifiers.queue.command("list")
            throw CommandFailure(.usage, "the queue has no transfer \(names); \(list) shows all transfers")
        }
    }
}

/// The transfers that a command changes.
struct QueueIdentifiers: ParsableArguments {
    @Argument(help: ArgumentHelp("The identifiers of the transfers, as shown by queue list.", valueName: "id"))
    var identifiers: [String]

    @OptionGroup(title: "Queue Options")
    var queue: QueueOptions

    /// The identifiers in order, without duplicates.
    var all: [String] {
        var seen: Set<String> = []
        return identifiers.filter { seen.insert($0).inserted }
    }
}

struct QueueCancelCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels transfers, and removes their partial files.",
        discussion: """
            A partial upload is also cancelled at its server: by the queue run or queue watch that is running, or by the \
            next one.
            """
    )
    static let report = "was cancelled"
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        report.state.endDescription.map { "\($0): there is nothing to cancel" }
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.cancel(identifier)
    }
}

struct QueueRetryCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retries failed or cancelled transfers."
    )
    static let report = "will be retried"
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        switch report.state {
        case .failed, .cancelled: nil
        case .waiting, .running: "is \(report.state.rawValue): it cannot be retried before it has ended"
        case .paused: "is paused, to resume it: \(queue.command("resume", [report.identifier]))"
        case .finished: "has already been completed; \(queue.adviceToRepeat(report))"
        }
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.retry(identifier)
    }
}

struct QueuePauseCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses transfers until they are resumed. Partial files are not removed."
    )
    static let report = "was paused"
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        report.state.endDescription.map { "\($0): there is nothing to pause" }
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.pause(identifier)
    }
}

struct QueueResumeCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes paused transfers."
    )
    static let report = "was resumed"
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        if report.state == .paused { return nil }
        return "\(report.state.endDescription ?? "is not paused"): there is nothing to resume"
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.resume(identifier)
    }
}

struct QueueRemoveCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes transfers from the queue, and cancels unfinished ones. Complete files are not removed."
    )
    static let report = "was removed"
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? { nil }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.remove(identifier)
    }
}

extension TransferReport.State {
    /// A description of the end of the transfer; `nil` if it has not ended.
    var endDescription: String? {
        switch self {
        case .finished: "has already been completed"
        case .failed: "has already failed"
        case .cancelled: "has already been cancelled"
        case .waiting, .running, .paused: nil
        }
    }
}
