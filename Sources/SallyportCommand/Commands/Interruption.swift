import Dispatch
import Foundation
import Sallyport

/// Ends work in order when the user, or the system, asks the command to stop.
enum Interruption {
    private static let statuses: [Int32: ExitStatus] = [SIGINT: .interrupted, SIGTERM: .terminated]

    /// Runs a closure, which is cancelled by an interrupt or a request to terminate. The second one ends at once.
    static func cancelling(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await work() }
        let received = Locked<ExitStatus?>(nil)
        let sources = statuses.map { number, status in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = received.withLock { received in
                    defer { received = status }
                    return received == nil
                }
                if isFirst { task.cancel() } else { exit(status.rawValue) }
            }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        do {
            try await task.value
        } catch {
            throw received.withLock { $0 }.map { CommandFailure($0) } ?? error
        }
    }
}
