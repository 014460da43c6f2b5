import ArgumentParser
import Foundation
import Sallyport

/// Makes the transfers of the queue until all have ended.
struct QueueWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Makes the transfers until all have ended, and shows how they come along.",
        discussion: """
            If another process makes them, that one is watched, and this one takes over when it ends. It ends with 1 if \
            a transfer failed meanwhile. Control-C leaves in the queue what has not ended.

            \(QueueWorkOptions.retries)
            """
    )

    @OptionGroup
    var options: QueueWorkOptions

    func run() async throws {
        let options = options
        try await Interruption.cancelling { try await QueueWork(options).run(untilEmpty: true) }
    }
}

/// Makes the transfers of the queue until it is interrupted.
struct QueueRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Makes the transfers, and those that are added later, until it is interrupted.",
        discussion: QueueWorkOptions.retries
    )

    @OptionGroup
    var options: QueueWorkOptions

    func run() async throws {
        let options = options
        try await Interruption.cancelling { try await QueueWork(options).run(untilEmpty: false) }
    }
}

/// How the transfers of a queue are made.
struct QueueWorkOptions: ParsableArguments {
    @OptionGroup(title: "Queue Options")
    var queue: QueueOptions

    @Option(help: "How many transfers to make at a time, up to 64.")
    var atOnce = 4

    @Option(
        help: ArgumentHelp("The server that credentials (--user and the like) and --auth are for.", valueName: "url")
    )
    var server: RequestURL?

    @OptionGroup
    var client: TransferClientOptions

    /// How often a transfer is made again.
    static let retries = """
        A transfer that fails is begun again where that may help, going on from what is kept: up to 4 times, in each of \
        which it goes on by itself up to 4 times after the connection broke. With --retry it is begun again so many times \
        at most, whatever came of it meanwhile, and does not go on by itself.
        """

    func validate() throws {
        if !(1...64).contains(atOnce) { throw ValidationError("--at-once needs a number from 1 to 64.") }
        let given = client.authentication.given
        if let option = given.option, server == nil {
            throw ValidationError("\(option) is for one server of the queue's: say which with --server.")
        }
        if given.option == nil, given.auth == nil, let server, server.user == nil {
            throw ValidationError("--server goes with --user or --auth.")
        }
        try StandardInputUses.check(given.standardInputUses + client.proxy.standardInputUses)
        if !client.cookies.cookie.isEmpty {
            throw ValidationError("--cookie is of one request; a queue's cookies are those of a --cookie-jar.")
        }
        if client.connection.timeout != nil {
            throw ValidationError("--timeout is of one transfer; a queue is ended by Control-C.")
        }
    }
}
