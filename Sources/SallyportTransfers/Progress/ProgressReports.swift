import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The progress of a transfer, delivered as reports, as a value, and as Foundation's `Progress`.
final class ProgressReports: Sendable {
    private struct State {
        var progress = TransferProgress()
        var rate = TransferRate()
        var lastReport: ContinuousClock.Instant?
        /// A Boolean value that indicates whether the progress is to be published.
        var isReportDue = false
        /// A Boolean value that indicates whether a thread is publishing the progress.
        var isPublishing = false
        /// The progress that was published last.
        var published = TransferProgress()
        var readers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        var nextReader = 0
    }

    /// The minimum interval between two reports that differ only in the number of bytes.
    private static let interval = Duration.milliseconds(50)

    /// The progress as Foundation's type.
    let foundationProgress = Progress(totalUnitCount: -1)
    private let state = Locked(State())

    var progress: TransferProgress { state.withLock { $0.progress } }

    /// Sets the number of bytes that were completed before. They do not count towards the rate.
    ///
    /// - Parameter isResumption: If `true`, an earlier transfer completed them.
    func start(completed: Int64, total: Int64?, isResumption: Bool = false) {
        change(now: true) { state in
            state.rate.reset()
            state.progress.completedBytes = completed
            state.progress.totalBytes = total
            if isResumption { state.progress.resumedBytes = completed }
        }
    }

    /// Sets the number of bytes that are complete.
    func update(completed: Int64, total: Int64?) {
        change { state in
            state.progress.completedBytes = completed
            state.progress.totalBytes = total
        }
    }

    /// Adds to the number of bytes that are complete.
    func advance(by bytes: Int) {
        change { $0.progress.completedBytes += Int64(bytes) }
    }

    /// Reports that the transfer starts over, with the reason.
    func startOver(_ reason: String) {
        change(now: true) { state in
            state.progress.startedOver = reason
            state.progress.resumedBytes = 0
        }
    }

    /// Sets the state of the transfer.
    func setState(_ newState: TransferProgress.State) {
        change(now: true) { state in
            guard state.progress.state != newState else { return }
            state.progress.state = newState
            state.progress.bytesPerSecond = 0
            state.rate.reset()
        }
    }

    /// Updates the rate of a transfer that may have stalled.
    func refresh() {
        change { _ in }
    }

    /// Ends all reports. Each reader receives the last one.
    func finish() {
        change(now: true) { $0.progress.state = .finished }
    }

    /// Returns the current report and each later one. A slow reader misses some, but never the last.
    func stream() -> AsyncStream<TransferProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TransferProgress.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        // A reader begins with the current progress, although it may not be time for another report yet.
        state.withLock { state in
            if state.progress != state.published { state.isReportDue = true }
        }
        publish()
        let reader: Int? = state.withLock { state in
            continuation.yield(state.published)
            if state.published.state == .finished { return nil }
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

    /// Changes the progress, and reports it if the minimum interval has passed.
    ///
    /// - Parameter now: If `true`, reports it immediately.
    private func change(now: Bool = false, _ change: (inout State) -> Void) {
        let time = ContinuousClock.now
        let isReported = state.withLock { state in
            guard state.progress.state != .finished else { return false }
            change(&state)
            state.rate.add(state.progress.completedBytes, at: time)
            if state.progress.state == .running {
                state.progress.bytesPerSecond = state.rate.bytesPerSecond(at: time)
            }
            if !now, let last = state.lastReport, time - last < Self.interval { return false }
            state.lastReport = time
            state.isReportDue = true
            return true
        }
        if isReported { publish() }
    }

    /// Publishes the progress if a report is due. If another thread is publishing, that thread publishes this report next.
    ///
    /// Foundation's progress changes before the readers receive the report, so that they find at least its values there. It
    /// changes outside the lock, because it calls observers.
    private func publish() {
        while let progress = nextReport() {
            foundationProgress.totalUnitCount = progress.totalBytes ?? -1
            foundationProgress.completedUnitCount = progress.completedBytes
            let ended: [AsyncStream<TransferProgress>.Continuation] = state.withLock { state in
                state.isPublishing = false
                state.published = progress
                // Inside the lock, so that every reader sees the newest report last.
                for reader in state.readers.values { reader.yield(progress) }
                guard progress.state == .finished else { return [] }
                defer { state.readers = [:] }
                return Array(state.readers.values)
            }
            for reader in ended { reader.finish() }
        }
    }

    /// Returns the progress if a report is due and no other thread is publishing; otherwise `nil`.
    private func nextReport() -> TransferProgress? {
        state.withLock { state in
            guard state.isReportDue, !state.isPublishing else { return nil }
            state.isReportDue = false
            state.isPublishing = true
            return state.progress
        }
    }
}

/// The rate of a transfer over the last five seconds.
struct TransferRate: Sendable {
    private static let span = Duration.seconds(5)
    private static let step = Duration.milliseconds(100)

    private var samples: [(time: ContinuousClock.Instant, bytes: Int64)] = []

    var sampleCount: Int { samples.count }

    /// Adds a sample: the number of bytes that are complete at a time.
    mutating func add(_ bytes: Int64, at now: ContinuousClock.Instant) {
        // The transfer has started over.
        if let last = samples.last, bytes < last.bytes { reset() }
        if let last = samples.last, now - last.time < Self.step, samples.count > 1 {
            samples[samples.count - 1].bytes = bytes
        } else {
            samples.append((now, bytes))
        }
        while samples.count > 2, now - samples[0].time > Self.span { samples.removeFirst() }
    }

    /// Discards all samples, as after a pause.
    mutating func reset() {
        samples = []
    }

    /// Returns the number of bytes per second; 0 until there are enough samples.
    func bytesPerSecond(at now: ContinuousClock.Instant) -> Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        let seconds = (now - first.time) / .seconds(1)
        return now - first.time >= Self.step ? Double(max(last.bytes - first.bytes, 0)) / seconds : 0
    }
}
