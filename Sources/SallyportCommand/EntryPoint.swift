import ArgumentParser
import Foundation
import NIOCore
import Sallyport

@main
enum EntryPoint {
    static func main() async {
        // A write to a closed pipe should fail instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        openStandardDescriptors()
        let deadline = CommandDeadline()
        var arguments: CommandArguments?
        do {
            try checkArguments()
            let own = CommandLine.arguments.dropFirst()
            ProcessArguments.hideSecrets()
            if let limit = CommandDeadline.limit(in: Array(own)) { deadline.set(limit) }
            let completed = try CommandArguments(own)
            arguments = completed
            if SallyportTool.sendsOneRequest(completed.all) {
                limitEventLoops()
                async let _ = prepareClient()
                try await run(completed.all, deadline)
            } else {
                try await run(completed.all, deadline)
            }
        } catch {
            end(with: error, arguments)
        }
    }

    private static func run(_ arguments: [String], _ deadline: CommandDeadline) async throws {
        var command = try SallyportTool.command(for: arguments)
        let limit = command.timeLimit
        deadline.set(limit)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await CommandDeadline.$current.withValue(limit == nil ? nil : deadline) { try await asynchronous.run() }
        } else {
            try command.run()
        }
        try StandardOutput.flush()
    }

    /// Opens `/dev/null` for closed standard descriptors. Otherwise the next socket or file would get their numbers, and
    /// receive printed text.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Makes a command use one event loop, unless the environment sets their number.
    ///
    /// The requests of such a command are sent one after another. By default, each core gets an event loop with a thread, and starting them
    /// delays the first request.
    private static func limitEventLoops() {
        if getenv("NIO_SINGLETON_GROUP_LOOP_COUNT") == nil { NIOSingletons.groupLoopCountSuggestion = 1 }
    }

    /// Creates what the first client of a process creates: the thread of the event loop and the types of the client. This takes a
    /// millisecond. Arguments can be parsed meanwhile.
    private static func prepareClient() {
        HttpClient().close()
    }

    /// Refuses arguments that are not UTF-8. Swift would replace their invalid bytes, and the request would be a different
    /// one.
    private static func checkArguments() throws(CommandFailure) {
        for (index, argument) in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
            .enumerated()
        {
            guard let argument, String(validatingCString: argument) == nil else { continue }
            throw CommandFailure(
                .usage,
                "argument \(index) is not UTF-8; pass such bytes in a file, as in --body @file"
            )
        }
    }

    /// Ends the process with an error. Help and the version go to standard output.
    private static func end(with error: any Error, _ arguments: CommandArguments?) -> Never {
        let (status, message) = report(of: error, arguments)
        if status == .success {
            if !message.isEmpty { print(message) }
            exit(0)
        }
        if !message.isEmpty { StandardError.print("sallyport: \(message)") }
        Interruption.endProcess(as: status)
        exit(status.rawValue)
    }

    /// Returns the exit status and the message for an error. Usage errors have curl's exit status. The request for a help text is an error
    /// with the status 0.
    static func report(of error: any Error, _ arguments: CommandArguments?) -> (status: ExitStatus, message: String) {
        if let failure = (error as? any ReportableError)?.commandFailure { return (failure.status, failure.message) }
        // The argument parser collects all options of a command again for each of its statuses and texts.
        switch error is ValidationError ? .validationFailure : SallyportTool.exitCode(for: error) {
        case .success: return (.success, SallyportTool.fullMessage(for: error))
        case .validationFailure: return (.usage, UsageMessage.text(ofUsageError: error, arguments))
        default: return (.other, UsageMessage.text(ofOtherError: error, arguments))
        }
    }
}
