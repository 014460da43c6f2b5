import Dispatch
import Foundation
import Sallyport
import SallyportStorage

/// Cancels the command after a signal from the user or the system.
enum Interruption {
    private static let statuses: [(signal: Int32, status: ExitStatus)] = [
        (SIGHUP, .hungUp), (SIGINT, .interrupted), (SIGQUIT, .quit), (SIGTERM, .terminated),
    ]

    /// A Boolean value that indicates whether the current task is cancelled on signals already.
    @TaskLocal private static var isHandled = false

    /// Runs a closure, and cancels it at SIGHUP, SIGINT, SIGQUIT or SIGTERM, and at the command's deadline. A second signal ends the
    /// process immediately.
    ///
    /// Inside such a closure, for example in a command that another command runs, it only runs the closure.
    static func cancelOnSignal(_ work: @escaping @Sendable () async throws -> Void) async throws {
        if isHandled { return try await work() }
        let registration = DispatchGroup()
        registration.enter()
        let task = Task {
            // A signal that arrives before its source is registered would be lost.
            await withCheckedContinuation { continuation in
                registration.notify(queue: .global()) { continuation.resume() }
            }
            try await $isHandled.withValue(true) { try await work() }
        }
        let received = Locked<ExitStatus?>(nil)
        let sources = statuses.compactMap { number, status -> (any DispatchSourceSignal)? in
            // A signal that is ignored at the start remains ignored, for example under nohup or in the background of a script.
            if isIgnored(number) { return nil }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = received.withLock { received in
                    defer { received = status }
                    return received == nil
                }
                if isFirst { task.cancel() } else { exit(status.rawValue) }
            }
            registration.enter()
            source.setRegistrationHandler { registration.leave() }
            source.resume()
            return source
        }
        registration.leave()
        defer { for source in sources { source.cancel() } }
        let deadline = CommandDeadline.current
        deadline?.onTimeout {
            received.withLock { $0 = $0 ?? .timeout }
            task.cancel()
        }
        do {
            try await task.value
        } catch {
            guard let status = received.withLock({ $0 }) else { throw error }
            if status != .timeout { throw CommandFailure(status) }
            // A timeout of the request states how far it got.
            if EntryPoint.report(of: error, nil).status == .timeout { throw error }
            throw deadline?.failure(of: error) ?? CommandFailure(.timeout)
        }
    }

    /// Handles a signal like another one, unless it is ignored at the start, as SIGHUP is under nohup.
    ///
    /// - Returns: The source of the signal, which the caller must keep.
    static func forward(_ number: Int32, as other: Int32) -> (any DispatchSourceSignal)? {
        if isIgnored(number) { return nil }
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { kill(getpid(), other) }
        source.resume()
        return source
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        #else
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
        #endif
    }

    /// Ends the process with the signal that corresponds to an exit status, if there is one, so that a shell also ends the
    /// script that runs the command.
    static func endProcess(as status: ExitStatus) {
        guard let number = statuses.first(where: { $0.status == status })?.signal else { return }
        signal(number, SIG_DFL)
        // The threads that run Swift tasks block signals.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}
