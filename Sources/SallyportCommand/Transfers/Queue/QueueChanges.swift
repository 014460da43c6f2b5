import ArgumentParser
import Sallyport

/// A subcommand that does something to some transfers.
protocol QueueChangeCommand: AsyncParsableCommand {
    var identifiers: QueueIdentifiers { get }

    /// Why there is nothing to be done to a transfer, if that is so.
    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String?

    /// Does it to one of them.
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
                }
            }
            let unknown = identifiers.all.filter { known[$0] == nil }
            if unknown.isEmpty { return }
            let names = unknown.map { "\"\($0)\"" }.joined(separator: ", ")
            let list = identifiers.queue.command("list")
            throw CommandFailure(.usage, "the queue has no transfer \(names); \(list) shows what it has")
        }
    }
}

/// Which transfers a command is about.
struct QueueIdentifiers: ParsableArguments {
    @Argument(help: ArgumentHelp("The identifiers of the transfers, as queue list shows them.", valueName: "id"))
    var identifiers: [String]

    @OptionGroup(title: "Queue Options")
    var queue: QueueOptions

    /// Each of them once, in order.
    var all: [String] {
        var seen: Set<String> = []
        return identifiers.filter { seen.insert($0).inserted }
    }
}

struct QueueCancelCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Ends transfers, and removes what has been fetched of them.",
        discussion: """
            A server that keeps a part of an upload is told that it can forget it: by the command that makes the transfers, \
            queue run or queue watch, or else by the next one.
            """
    )
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        report.state.endWords.map { "\($0): there is nothing to cancel" }
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.cancel(identifier)
    }
}

struct QueueRetryCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Has transfers made once more that failed or were cancelled."
    )
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        switch report.state {
        case .failed, .cancelled: nil
        case .waiting, .running: "is \(report.state.rawValue): there is nothing to retry before it has ended"
        case .paused: "is paused, and goes on with \(queue.command("resume", [report.identifier]))"
        case .finished: "has been made already; \(queue.howToMakeAgain(report))"
        }
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.retry(identifier)
    }
}

struct QueuePauseCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Holds transfers until they are resumed; what has been transferred is kept."
    )
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        report.state.endWords.map { "\($0): there is nothing to pause" }
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.pause(identifier)
    }
}

struct QueueResumeCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Goes on with transfers that are paused."
    )
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? {
        if report.state == .paused { return nil }
        return "\(report.state.endWords ?? "is not paused"): there is nothing to resume"
    }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.resume(identifier)
    }
}

struct QueueRemoveCommand: QueueChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Forgets transfers, cancelling those that have not ended; files that are whole stay."
    )
    @OptionGroup var identifiers: QueueIdentifiers

    static func objection(_ report: TransferReport, _ queue: QueueOptions) -> String? { nil }

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.remove(identifier)
    }
}

extension TransferReport.State {
    /// How a transfer ended, in words.
    var endWords: String? {
        switch self {
        case .finished: "has been made already"
        case .failed: "has failed already"
        case .cancelled: "has been cancelled already"
        case .waiting, .running, .paused: nil
        }
    }
}
