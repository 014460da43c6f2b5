import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The state that a ``Transfer`` shares with the closure that performs it: the progress, and whether it is paused.
package final class TransferControl: Sendable {
    let reports = ProgressReports()
    private let pauseSwitch = PauseSwitch()
    private let abandoned = Locked(false)

    package init() {}

    package var progress: TransferProgress { reports.progress }

    package var isPaused: Bool { pauseSwitch.isPaused }

    /// A Boolean value that indicates whether ``Transfer/cancel()`` was called, so that the transfer will not be
    /// continued later. Remains `false` if the task that awaits the transfer is cancelled, or the transfer is released.
    var isAbandoned: Bool { abandoned.withLock { $0 } }

    // MARK: Called by the closure that performs the transfer

    /// Sets the number of bytes that were completed before. They do not count towards the rate.
    ///
    /// - Parameter isResumption: If `true`, an earlier transfer completed them.
    package func start(completed: Int64, total: Int64?, isResumption: Bool = false) {
        reports.start(completed: completed, total: total, isResumption: isResumption)
    }

    /// Reports that the transfer starts over, with the reason.
    func startOver(_ reason: String) { reports.startOver(reason) }

    /// Sets the number of bytes that are complete.
    package func update(completed: Int64, total: Int64?) { reports.update(completed: completed, total: total) }

    /// Adds to the number of bytes that are complete.
    package func advance(by bytes: Int) { reports.advance(by: bytes) }

    /// Ends all progress sequences.
    func finish() { reports.finish() }

    /// Runs an attempt. A pause cancels it; when the transfer is resumed, the attempt is run again.
    ///
    /// If an attempt fails with an error other than its cancellation, this error is thrown, even if the transfer was
    /// paused meanwhile.
    package func whileNotPaused<Value: Sendable>(
        _ attempt: @escaping @Sendable () async throws(TransferError) -> Value
    ) async throws(TransferError) -> Value {
        while true {
            if isPaused { reports.setState(.paused) }
            await pauseSwitch.wait(until: false)
            if Task.isCancelled { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
            reports.setState(.running)
            if let result = await outcomeUnlessPaused(of: attempt) { return try result.get() }
        }
    }

    private enum Event<Value: Sendable>: Sendable {
        case ended(Result<Value, TransferError>)
        case paused
        case progressReported
    }

    /// - Returns: The outcome of the attempt; `nil` if a pause cancelled it.
    private func outcomeUnlessPaused<Value: Sendable>(
        of attempt: @escaping @Sendable () async throws(TransferError) -> Value
    ) async -> Result<Value, TransferError>? {
        await withTaskGroup(of: Event<Value>.self) { group in
            group.addTask {
                do throws(TransferError) {
                    return .ended(.success(try await attempt()))
                } catch {
                    return .ended(.failure(error))
                }
            }
            group.addTask { [pauseSwitch] in
                await pauseSwitch.wait(until: true)
                return .paused
            }
            group.addTask { [reports] in
                while (try? await Task.sleep(for: .milliseconds(500))) != nil { reports.refresh() }
                return .progressReported
            }
            var isPaused = false
            for await event in group {
                group.cancelAll()
                switch event {
                case .ended(.failure(let error)) where isPaused && error.isCancellation && !Task.isCancelled: return nil
                case .ended(let result): return result
                case .paused: isPaused = !Task.isCancelled
                case .progressReported: break
                }
            }
            return nil
        }
    }

    // MARK: Called by the transfer

    /// Records that the transfer will not be continued later.
    func abandon() { abandoned.withLock { $0 = true } }

    /// - Returns: `true` if this changed the state.
    func setPaused(_ isPaused: Bool) -> Bool { pauseSwitch.set(isPaused) }
}

/// A flag that indicates whether a transfer is paused. Tasks can wait for its changes.
final class PauseSwitch: Sendable {
    private struct State {
        var isPaused = false
        var readers: [Int: AsyncStream<Bool>.Continuation] = [:]
        var nextReader = 0
    }

    private let state = Locked(State())

    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// - Returns: `true` if this changed the flag.
    func set(_ isPaused: Bool) -> Bool {
        state.withLock { state in
            guard state.isPaused != isPaused else { return false }
            state.isPaused = isPaused
            // Inside the lock, so that every reader sees the newest value last.
            for reader in state.readers.values { reader.yield(isPaused) }
            return true
        }
    }

    /// Waits until the flag has the given value, or the task is cancelled.
    func wait(until isPaused: Bool) async {
        for await value in values() where value == isPaused { return }
    }

    /// Returns the current value and each later one. A slow reader misses some, but never the last.
    private func values() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let reader = state.withLock { state in
            continuation.yield(state.isPaused)
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: reader) }
        }
        return stream
    }
}
