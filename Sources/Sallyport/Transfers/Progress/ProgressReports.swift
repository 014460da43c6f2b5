import Foundation
import SallyportTransport

/// How far a transfer has come, for those who read it: as reports, as a value, and as Foundation's `Progress`.
final class ProgressReports: Sendable {
    private struct State {
        var progress = TransferProgress()
        var rate = TransferRate()
        var lastReport: ContinuousClock.Instant?
        /// The number of the last report.
        var report = 0
        var readers: [Int: AsyncStream<TransferProgress>.Continuation] = [:]
        var nextReader = 0
    }

    /// Between two reports that only tell of more bytes.
    private static let interval = Duration.milliseconds(50)

    /// The same for Foundation's users.
    let foundationProgress = Progress(totalUnitCount: -1)
    private let state = Locked(State())

    var progress: TransferProgress { state.withLock { $0.progress } }

    /// Takes note of where a transfer begins, which says nothing of its rate.
    func start(completed: Int64, total: Int64?) {
        change(now: true) { state in
            state.rate.reset()
            state.progress.completedBytes = completed
            state.progress.totalBytes = total
        }
    }

    /// Takes note of bytes that are there now, of the whole.
    func note(completed: Int64, total: Int64?) {
        change { state in
            state.progress.completedBytes = completed
            state.progress.totalBytes = total
        }
    }

    /// Takes note of bytes more.
    func advance(by bytes: Int) {
        change { $0.progress.completedBytes += Int64(bytes) }
    }

    /// Takes note that it begins again from its first byte, and why.
    func startOver(_ reason: String) {
        change(now: true) { $0.progress.startedOver = reason }
    }

    /// Takes note of what the transfer does now.
    func note(_ doing: TransferProgress.State) {
        change(now: true) { state in
            guard state.progress.state != doing else { return }
            state.progress.state = doing
            state.progress.bytesPerSecond = 0
            state.rate.reset()
        }
    }

    /// Reports the rate of a transfer that stands still.
    func refresh() {
        change { _ in }
    }

    /// Ends all reports; the last one is given to each reader.
    func finish() {
        change(now: true) { $0.progress.state = .finished }
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// The newest report, and each one after it until the last; a slow reader misses some, never the last.
    func stream() -> AsyncStream<TransferProgress> {
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

    /// Changes the progress, and reports it: at once if asked to, else if the last report is a while ago.
    private func change(now: Bool = false, _ change: (inout State) -> Void) {
        let time = ContinuousClock.now
        let isReported = state.withLock { state in
            guard state.progress.state != .finished else { return false }
            change(&state)
            state.rate.note(state.progress.completedBytes, at: time)
            if state.progress.state == .running {
                state.progress.bytesPerSecond = state.rate.bytesPerSecond(at: time)
            }
            if !now, let last = state.lastReport, time - last < Self.interval { return false }
            state.lastReport = time
            state.report += 1
            // Under the lock, so that the newest is the last that each reader sees.
            for reader in state.readers.values { reader.yield(state.progress) }
            return true
        }
        if isReported { tellFoundation() }
    }

    /// Not under the lock, as observers are called. Whoever comes last sees that nothing newer has been left out.
    private func tellFoundation() {
        var told = -1
        while true {
            let (report, progress) = state.withLock { ($0.report, $0.progress) }
            if report == told { return }
            told = report
            foundationProgress.totalUnitCount = progress.totalBytes ?? -1
            foundationProgress.completedUnitCount = progress.completedBytes
        }
    }
}

/// The rate of a transfer over the last few seconds. Pure: it is told the time.
struct TransferRate: Sendable {
    private static let span = Duration.seconds(5)
    private static let step = Duration.milliseconds(100)

    private var samples: [(time: ContinuousClock.Instant, bytes: Int64)] = []

    var sampleCount: Int { samples.count }

    /// Takes note of how many bytes there are now.
    mutating func note(_ bytes: Int64, at now: ContinuousClock.Instant) {
        // It has begun anew.
        if let last = samples.last, bytes < last.bytes { reset() }
        if let last = samples.last, now - last.time < Self.step, samples.count > 1 {
            samples[samples.count - 1].bytes = bytes
        } else {
            samples.append((now, bytes))
        }
        while samples.count > 2, now - samples[0].time > Self.span { samples.removeFirst() }
    }

    /// Forgets what was before a pause.
    mutating func reset() {
        samples = []
    }

    /// Bytes in a second; 0 until there is enough to tell by.
    func bytesPerSecond(at now: ContinuousClock.Instant) -> Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        let seconds = (now - first.time) / .seconds(1)
        return now - first.time >= Self.step ? Double(max(last.bytes - first.bytes, 0)) / seconds : 0
    }
}
