import ArgumentParser
import Foundation
import Sallyport

@main
enum EntryPoint {
    static func main() async {
        // A closed pipe is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try SallyportTool.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        switch error {
        case let failure as CommandFailure: end(failure)
        case let error as NetworkError: end(CommandFailure(error))
        default: endParsing(with: error)
        }
    }

    private static func end(_ failure: CommandFailure) -> Never {
        if !failure.message.isEmpty { StandardError.print("sallyport: \(failure.message)") }
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
        if !message.isEmpty { StandardError.print(message) }
        exit(code == .validationFailure ? ExitStatus.usage.rawValue : code.rawValue)
    }
}
