import ArgumentParser
import Dispatch
import Foundation
import Sallyport
import SallyportStorage

/// The time limit of the entire command, `--timeout`.
///
/// When it has passed, the task of the command is cancelled. If the command has not ended shortly after, for example because it waits for a
/// pipe to be opened, or for its output to be read, the process ends.
final class CommandDeadline: Sendable {
    /// The deadline of the running command. A task-local, because what a command starts must not depend on how it was started.
    @TaskLocal static var current: CommandDeadline?

    /// The time after the limit for a request to report its own timeout, which states how far it got.
    private static let slack = Duration.milliseconds(400)

    /// The time for a cancelled command to end and to remove unfinished files.
    private static let grace = Duration.milliseconds(500)

    private struct State: Sendable {
        /// The limit; `nil` for none.
        var limit: Duration?
        var onTimeout: (@Sendable () -> Void)?
        /// The number of changes of the limit, by which a timer recognizes that it is obsolete.
        var version = 0
    }

    private let start = ContinuousClock.now
    private let queue = DispatchQueue(label: "sallyport.deadline")
    private let state = Locked(State())

    /// Sets the limit, counted from the creation of the instance; `nil` for none.
    func set(_ limit: Duration?) {
        let version = state.withLock { state -> Int? in
            if state.limit == limit { return nil }
            state.limit = limit
            state.version += 1
            return state.version
        }
        guard let limit, let version else { return }
        let left = max(.zero, start + limit + Self.slack - ContinuousClock.now)
        at(left, version) { [self] in
            state.withLock { $0.onTimeout }?()
            at(Self.grace, version) { Self.endProcess(Self.message(limit)) }
        }
    }

    /// The time until the limit; `nil` if there is none.
    var remaining: Duration? {
        state.withLock { $0.limit }.map { max(.zero, start + $0 - ContinuousClock.now) }
    }

    private func at(_ delay: Duration, _ version: Int, _ work: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + delay / .seconds(1)) { [state] in
            if state.withLock({ $0.version }) == version { work() }
        }
    }

    /// Sets the closure that is called when the limit has passed.
    func onTimeout(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onTimeout = action }
    }

    /// Returns the failure of a command that has reached its limit, with the progress of the request that was cancelled.
    func failure(of error: any Error) -> CommandFailure {
        let message = Self.message(state.withLock { $0.limit } ?? .zero)
        guard case NetworkError.cancelled(var failure) = error else { return CommandFailure(.timeout, message) }
        failure.reason = message
        return CommandFailure(.timeout, failure.description)
    }

    private static func message(_ limit: Duration) -> String {
        "the time limit of --timeout, \(Format.time(limit)), has passed"
    }

    /// Ends the process without the usual end, which would write buffered output and could block.
    private static func endProcess(_ message: String) -> Never {
        var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        if poll(&request, 1, 0) == 1 { StandardError.print("sallyport: \(message)") }
        _exit(ExitStatus.timeout.rawValue)
    }
}

extension CommandDeadline {
    /// Returns the limit in arguments that have not been parsed; `nil` if there is none.
    ///
    /// It applies while files of options are read. The parsed limit replaces it.
    static func limit(in arguments: [String]) -> Duration? {
        guard
            SallyportTool.sendsOneRequest(arguments) || ["download", "upload"].contains(arguments.first)
                || CommandArguments.areOfBareURL(arguments)
        else { return nil }
        for (index, argument) in arguments.enumerated() {
            let isName = ["-m", "--timeout", "--max-time"].contains(argument)
            let attached = argument.prefixMatch(of: /(?:--timeout=|--max-time=|-m)/)?.range.upperBound
            let value = isName ? arguments.dropFirst(index + 1).first : attached.map { String(argument[$0...]) }
            if let seconds = value.flatMap(Double.init), seconds > 0, seconds < 1e9 { return .seconds(seconds) }
        }
        return nil
    }
}

/// A command that transfers files.
protocol TransferCommand {
    /// The options of its requests.
    var options: TransferRequestOptions { get }
}

extension ParsableCommand {
    /// The limit of ``ConnectionOptions/timeout``; `nil` for a command without the option.
    var timeLimit: Duration? {
        if let options = self as? any HttpClientOptions { return options.connection.timeout.map(Duration.seconds) }
        return (self as? any TransferCommand)?.options.timeout
    }
}
