import ArgumentParser
import Foundation
import Sallyport
import SallyportOAuth

@main
enum EntryPoint {
    static func main() async {
        // A closed pipe is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        openStandardDescriptors()
        do {
            try checkArguments()
            let arguments = CommandLine.arguments
            ProcessArguments.hideSecrets()
            var command = try SallyportTool.parseAsRoot(AuthArgument.completed(arguments.dropFirst()))
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// A descriptor that was closed would else be that of the next socket or file, and get what is printed.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Swift would replace bytes that are not UTF-8, and something else would be sent.
    private static func checkArguments() throws(CommandFailure) {
        for (index, argument) in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
            .enumerated()
        {
            guard let argument, String(validatingCString: argument) == nil else { continue }
            throw CommandFailure(
                .usage,
                "argument \(index) is not UTF-8; give such bytes in a file, as in --body @file"
            )
        }
    }

    private static func end(with error: any Error) -> Never {
        switch error {
        case let failure as CommandFailure: end(failure)
        case let error as NetworkError: end(CommandFailure(error))
        case let error as TransferError: end(CommandFailure(error, writing: true))
        case let error as OAuthError: end(CommandFailure(error))
        case let error as OAuthSessionError: end(CommandFailure(error))
        case let error as TokenStoreError: end(CommandFailure(.store(error)))
        default: endParsing(with: error)
        }
    }

    private static func end(_ failure: CommandFailure) -> Never {
        if !failure.message.isEmpty { StandardError.print("sallyport: \(failure.message)") }
        Interruption.endProcess(as: failure.status)
        exit(failure.status.rawValue)
    }

    /// Help and versions go to standard output; mistakes in the arguments to standard error, with curl's status.
    private static func endParsing(with error: any Error) -> Never {
        let code = SallyportTool.exitCode(for: error)
        let message = SallyportTool.fullMessage(for: error)
        if code == .success {
            if !message.isEmpty { print(message) }
            exit(0)
        }
        // The message may quote a URL with a password.
        if !message.isEmpty { StandardError.print(Redaction.text(message)) }
        exit(code == .validationFailure ? ExitStatus.usage.rawValue : code.rawValue)
    }
}
