import Foundation
import SallyportTransport

/// What a transfer's handle and its work share: the progress, and whether it is paused.
package final class TransferControl: Sendable {
    let reports = ProgressReports()
    private let pauseSwitch = PauseSwitch()
    private let givenUp = Locked(false)

    package init() {}

    package var progress: TransferProgress { reports.progress }

    package var isPaused: Bool { pauseSwitch.isPaused }

    /// Whether it was cancelled by its handle, so that nobody means to go on with it: not with the task that waits for
    /// it, or with its process.
    var isGivenUp: Bool { givenUp.withLock { $0 } }

    // MARK: What the work tells

    /// Takes note of bytes that an earlier transfer left, of the whole. They do not count for the rate.
    package func start(completed: Int64, total: Int64?) { reports.start(completed: completed, total: total) }

    /// Takes note that what is there is of no use, and why.
    func startOver(_ reason: String) { reports.startOver(reason) }

    /// Takes note of bytes that are there now, of the whole.
    package func note(completed: Int64, total: Int64?) { reports.note(completed: completed, total: total) }

    /// Takes note of bytes more.
    package func advance(by bytes: Int) { reports.advance(by: bytes) }

    /// Ends all reports.
    func finish() { reports.finish() }

    /// Runs an attempt, and again after each pause until it ends by itself. A pause cancels the attempt.
    ///
    /// An attempt that fails by another error than its cancellation has ended by itself, even if a pause came meanwhile.
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

    /// - Returns: `nil` if a pause ended it.
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

    // MARK: What the handle tells

    /// Takes note that nobody means to go on with it.
    func giveUp() { givenUp.withLock { $0 = true } }

    /// - Returns: Whether that changed anything.
    func setPaused(_ isPaused: Bool) -> Bool { pauseSwitch.set(isPaused) }
}

/// Whether a transfer is paused, for those who wait for it to change.
final class PauseSwitch: Sendable {
    private struct State {
        var isPaused = false
        var readers: [Int: AsyncStream<Bool>.Continuation] = [:]
        var nextReader = 0
    }

    private let state = Locked(State())

    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// - Returns: Whether that changed it.
    func set(_ isPaused: Bool) -> Bool {
        state.withLock { state in
            guard state.isPaused != isPaused else { return false }
            state.isPaused = isPaused
            // Under the lock, so that the newest is the last that each reader sees.
            for reader in state.readers.values { reader.yield(isPaused) }
            return true
        }
    }

    /// Waits until it is in a position, or the task is cancelled.
    func wait(until isPaused: Bool) async {
        for await position in positions() where position == isPaused { return }
    }

    /// The position now, and each one after it; a slow reader misses some, never the last.
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
