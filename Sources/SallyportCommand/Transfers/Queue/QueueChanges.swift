import ArgumentParser
import Sallyport

/// A subcommand that does something to some transfers.
protocol QueueChangeCommand: AsyncParsableCommand {
    var identifiers: QueueIdentifiers { get }

    /// Does it to one of them.
    static func change(_ identifier: String, in queue: TransferQueue) async throws
}

extension QueueChangeCommand {
    func run() async throws {
        try await identifiers.queue.withQueue { queue in
            let known = Set(try await queue.transfers().map(\.identifier))
            for identifier in identifiers.all where known.contains(identifier) {
                try await Self.change(identifier, in: queue)
            }
            let unknown = identifiers.all.filter { !known.contains($0) }
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
        abstract: "Ends transfers, and removes what has been fetched of them."
    )
    @OptionGroup var identifiers: QueueIdentifiers

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

    static func change(_ identifier: String, in queue: TransferQueue) async throws {
        try await queue.remove(identifier)
    }
}
