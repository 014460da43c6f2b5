import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The state that a ``Transfer`` shares with the work that it runs: the progress, and whether it is paused.
package final class TransferControl: Sendable {
    let reports = ProgressReports()
    private let pauseSwitch = PauseSwitch()
    private let givenUp = Locked(false)

    package init() {}

    package var progress: TransferProgress { reports.progress }

    package var isPaused: Bool { pauseSwitch.isPaused }

    /// A Boolean value that indicates whether the transfer was cancelled by ``Transfer/cancel()``, so that it is not to
    /// be continued later. It is `false` if the task that awaits the transfer was cancelled, or the transfer was
    /// released.
    var isGivenUp: Bool { givenUp.withLock { $0 } }

    // MARK: Called by the work

    /// Sets the number of bytes that an earlier transfer left. They do not count for the rate.
    package func start(completed: Int64, total: Int64?) { reports.start(completed: completed, total: total) }

    /// Reports that the transfer starts over, with the reason.
    func startOver(_ reason: String) { reports.startOver(reason) }

    /// Sets the number of bytes that are complete.
    package func note(completed: Int64, total: Int64?) { reports.note(completed: completed, total: total) }

    /// Adds to the number of bytes that are complete.
    package func advance(by bytes: Int) { reports.advance(by: bytes) }

    /// Ends all progress sequences.
    func finish() { reports.finish() }

    /// Runs an attempt, and runs it again after each pause until it ends by itself. A pause cancels the attempt.
    ///
    /// An attempt that fails with an error other than its cancellation has ended by itself, even if it was paused
    /// meanwhile.
    package func whileNotPaused<Value: Sendable>(
        _ attempt: @escaping @Sendable () async throws(TransferError) -> Value
    ) async throws(TransferError) -> Value {
        while true {
            if isPaused { reports.note(.paused) }
            await pauseSwitch.wait(until: false)
            if Task.isCancelled { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
            reports.note(.running)
            if let result = await outcomeUnlessPaused(of: attempt) { return try result.get() }
        }
    }

    private enum Event<Value: Sendable>: Sendable {
        case ended(Result<Value, TransferError>)
        case paused
        case watched
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
                return .watched
            }
            var isPaused = false
            for await event in group {
                group.cancelAll()
                switch event {
                case .ended(.failure(let error)) where isPaused && error.isCancellation && !Task.isCancelled: return nil
                case .ended(let result): return result
                case .paused: isPaused = !Task.isCancelled
                case .watched: break
                }
            }
            return nil
        }
    }

    // MARK: Called by the transfer

    /// Records that the transfer is not to be continued later.
    func giveUp() { givenUp.withLock { $0 = true } }

    /// - Returns: `true` if this changed the state.
    func setPaused(_ isPaused: Bool) -> Bool { pauseSwitch.set(isPaused) }
}

/// A flag that indicates whether a transfer is paused, and whose changes can be awaited.
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

    /// Waits until the flag has a value, or the task is cancelled.
    func wait(until isPaused: Bool) async {
        for await position in positions() where position == isPaused { return }
    }

    /// Returns the current value and each later one. A slow reader misses some, but never the last.
    private func positions() -> AsyncStream<Bool> {
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
