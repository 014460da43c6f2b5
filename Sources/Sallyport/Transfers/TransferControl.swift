import Foundation
import SallyportTransport

/// What a transfer's handle and its work share: the progress, and whether it is paused.
package final class TransferControl: Sendable {
    private struct State {
        var progress = TransferProgress()
        var rate = TransferRate()
        var lastReport: ContinuousClock.Instant?
        var isPaused = false
        var readers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        var pauseReaders: [Int: AsyncStream<Bool>.Continuation] = [:]
        var nextReader = 0
    }

    /// The same for Foundation's users; see ``Transfer/foundationProgress``.
    let foundationProgress: Progress
    private let state = Locked(State())

    package init() {
        foundationProgress = Progress(totalUnitCount: -1)
    }

    package var progress: TransferProgress { state.withLock { $0.progress } }

    package var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: What the work tells

    /// Takes note of bytes that are there now, of the whole.
    package func note(completed: Int64, total: Int64?) {
        change { progress in
            progress.completedBytes = completed
            progress.totalBytes = total
        }
    }

    /// Takes note of bytes more.
    package func advance(by bytes: Int) {
        change { $0.completedBytes += Int64(bytes) }
    }

    /// Ends all reports; the last one is given to each reader.
    func finish() {
        change(now: true) { $0.state = .finished }
        let (readers, pauseReaders) = state.withLock { state in
            defer { (state.readers, state.pauseReaders) = ([:], [:]) }
            return (Array(state.readers.values), Array(state.pauseReaders.values))
        }
        for reader in readers { reader.finish() }
        for reader in pauseReaders { reader.finish() }
    }

    /// Runs an attempt, and again after each pause until it ends by itself. A pause cancels the attempt.
    package func whileNotPaused<Value: Sendable>(
        _ attempt: @escaping @Sendable () async throws(TransferError) -> Value
    ) async throws(TransferError) -> Value {
        while true {
            await waitWhilePaused()
            change(now: true) { $0.state = .running }
            if let result = await outcomeUnlessPaused(of: attempt) { return try result.get() }
            if Task.isCancelled { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
        }
    }

    /// - Returns: `nil` if a pause ended it.
    private func outcomeUnlessPaused<Value: Sendable>(
        of attempt: @escaping @Sendable () async throws(TransferError) -> Value
    ) async -> Result<Value, TransferError>? {
        await withTaskGroup(of: Result<Value, TransferError>?.self) { group in
            group.addTask {
                do throws(TransferError) {
                    return .success(try await attempt())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask { [self] in
                for await isPaused in pauses() where isPaused { break }
                return nil
            }
            guard let first = await group.next() else { return nil }
            group.cancelAll()
            if first != nil { return first }
            // An attempt that ended just as the pause came has its result, unless the pause ended it.
            guard let second = await group.next(), case .success = second else { return nil }
            return second
        }
    }

    private func waitWhilePaused() async {
        guard isPaused else { return }
        change(now: true) { progress in
            progress.state = .paused
            progress.bytesPerSecond = 0
        }
        for await isPaused in pauses() where !isPaused { break }
    }

    // MARK: What the handle tells

    func setPaused(_ isPaused: Bool) {
        let readers = state.withLock { state in
            state.isPaused = isPaused
            state.rate.reset()
            return Array(state.pauseReaders.values)
        }
        for reader in readers { reader.yield(isPaused) }
    }

    func reports() -> AsyncStream<TransferProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let reader: Int? = state.withLock { state in
            continuation.yield(state.progress)
            if state.progress.state == .finished { return nil }
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        guard let reader else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: reader) }
        }
        return stream
    }

    /// Whether it is paused: now, and at each change.
    private func pauses() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let reader = state.withLock { state in
            continuation.yield(state.isPaused)
            state.nextReader += 1
            state.pauseReaders[state.nextReader] = continuation
            return state.nextReader
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.pauseReaders.removeValue(forKey: reader) }
        }
        return stream
    }

    /// Changes the progress, and reports it: at once if asked to, else at most twenty times a second.
    private func change(now: Bool = false, _ change: (inout TransferProgress) -> Void) {
        let time = ContinuousClock.now
        let report: (TransferProgress, [AsyncStream<TransferProgress>.Continuation])? = state.withLock { state in
            guard state.progress.state != .finished else { return nil }
            change(&state.progress)
            state.rate.note(state.progress.completedBytes, at: time)
            if state.progress.state == .running {
                state.progress.bytesPerSecond = state.rate.bytesPerSecond(at: time)
            }
            if !now, let last = state.lastReport, time - last < .milliseconds(50) { return nil }
            state.lastReport = time
            return (state.progress, Array(state.readers.values))
        }
        guard let (progress, readers) = report else { return }
        foundationProgress.totalUnitCount = progress.totalBytes ?? -1
        foundationProgress.completedUnitCount = progress.completedBytes
        for reader in readers { reader.yield(progress) }
    }
}
