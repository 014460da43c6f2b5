import ArgumentParser
import Foundation
import Sallyport

/// Runs the transfers of the queue until all have ended.
struct QueueWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Runs the transfers until all have ended, and shows their progress.",
        discussion: """
            If another process runs the transfers, this command shows their progress, and takes over when that process \
            ends. The exit status is 1 if a transfer failed meanwhile. After Control-C, unfinished transfers stay in the \
            queue.

            \(QueueWorkOptions.retryDiscussion)
            """
    )

    @OptionGroup
    var options: QueueWorkOptions

    func run() async throws {
        let options = options
        try await Interruption.cancelOnSignal { try await QueueWork(options).run(untilEmpty: true) }
    }
}

/// Runs the transfers of the queue until it is interrupted.
struct QueueRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs all current and later transfers until it is interrupted.",
        discussion: QueueWorkOptions.retryDiscussion
    )

    @OptionGroup
    var options: QueueWorkOptions

    func run() async throws {
        let options = options
        try await Interruption.cancelOnSignal { try await QueueWork(options).run(untilEmpty: false) }
    }
}

/// The options for running the transfers of a queue.
struct QueueWorkOptions: ParsableArguments, TransferClientOptions {
    @OptionGroup(title: "Queue Options")
    var queue: QueueOptions

    @Option(help: "The maximum number of concurrent transfers, up to 64.")
    var atOnce = 4

    @Option(
        help: ArgumentHelp("The server for the credentials (such as --user) or --auth.", valueName: "url")
    )
    var server: RequestURL?

    @OptionGroup(title: "Authentication Options")
    var credentials: CredentialOptions

    @OptionGroup(title: "Authentication Options")
    var scheme: TransferSchemeOptions

    @OptionGroup(title: "Cookie Options")
    var cookies: CookieOptions

    @OptionGroup(title: "Connection Options")
    var connection: ConnectionOptions

    @OptionGroup(title: "Retry Options")
    var retries: RetryOptions

    @OptionGroup(title: "Proxy Options")
    var proxy: ProxyOptions

    @OptionGroup(title: "TLS Options")
    var security: SecurityOptions

    @OptionGroup(title: "Pin Options")
    var pins: PinOptions

    @OptionGroup(title: "Output Options")
    var output: TransferOutputOptions

    /// The help text about retries.
    static let retryDiscussion = """
        The queue resumes a transfer that failed with a temporary error up to 4 times. Within each attempt, the transfer \
        itself resumes up to 4 times after a broken connection. With --retry, that number is the total for the transfer, \
        and transfers do not resume by themselves.
        """

    func validate() throws {
        if !(1...64).contains(atOnce) { throw ValidationError("--at-once needs a number from 1 to 64.") }
        if let option = credentials.option, server == nil {
            throw ValidationError("\(option) applies to one server of the queue; specify it with --server.")
        }
        if credentials.option == nil, credentials.auth == nil, let server, server.user == nil {
            throw ValidationError("--server needs --user or --auth.")
        }
        try StandardInputUses.check(
            credentials.standardInputUses + proxy.standardInputUses + security.standardInputUses
        )
        if security.insecure {
            throw ValidationError("--insecure applies to one request; pass the servers' certificates with --cacert.")
        }
        if !cookies.cookie.isEmpty {
            throw ValidationError("--cookie applies to one request; use --cookie-jar for a queue.")
        }
        if connection.timeout != nil {
            throw ValidationError("--timeout cannot be used with a queue; stop it with Control-C.")
        }
    }
}
