/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// What a transfer is doing.
    public enum State: String, Sendable, Codable {
        /// It has not begun, or waits for its turn.
        case waiting
        /// Its bytes are on their way.
        case running
        /// It was paused, and goes on when it is resumed.
        case paused
        /// It is over, in whatever way: see ``Transfer/result``.
        case finished
    }

    /// What the transfer is doing.
    public var state: State

    /// How many bytes of the whole are there, those of earlier attempts included.
    public var completedBytes: Int64

    /// How many bytes the whole has, once that is known.
    public var totalBytes: Int64?

    /// How many bytes come in a second, over the last few seconds.
    public var bytesPerSecond: Double

    /// Why it last began again from its first byte, though some was there already; `nil` if it has not. Text for people.
    public var startedOver: String?

    /// Makes a report.
    public init(
        state: State = .waiting,
        completedBytes: Int64 = 0,
        totalBytes: Int64? = nil,
        bytesPerSecond: Double = 0,
        startedOver: String? = nil
    ) {
        self.state = state
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.startedOver = startedOver
    }

    /// The part of the whole that is there, from 0 to 1; `nil` while the whole is not known.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        return totalBytes > 0 ? min(Double(completedBytes) / Double(totalBytes), 1) : 1
    }

    /// How long the rest will take at this rate; `nil` while it cannot be told.
    public var timeLeft: Duration? {
        guard let totalBytes, state == .running, bytesPerSecond > 0 else { return nil }
        // More than a century is as good as nothing known.
        let seconds = Double(max(totalBytes - completedBytes, 0)) / bytesPerSecond
        return seconds < 3e9 ? .seconds(seconds) : nil
    }
}

/// The reports of a transfer: the newest at once, then each that comes, until the transfer is over.
///
/// A reader that is slow misses some, never the last. Each iteration is a reader of its own.
public struct TransferProgressUpdates: AsyncSequence, Sendable {
    private let reports: ProgressReports
    private let transfer: any Sendable

    init(reports: ProgressReports, of transfer: any Sendable) {
        self.reports = reports
        self.transfer = transfer
    }

    /// Reads the reports.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<TransferProgress>.Iterator
        fileprivate let transfer: any Sendable

        /// The next report; `nil` once the last has been given, or the task is cancelled.
        public mutating func next() async -> TransferProgress? {
            await stream.next()
        }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: reports.stream().makeAsyncIterator(), transfer: transfer)
    }
}
