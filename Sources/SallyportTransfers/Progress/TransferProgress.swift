import Sallyport

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// The state of a transfer.
    public enum State: String, Sendable, Codable {
        /// The transfer has not started.
        case waiting
        /// The transfer is sending or receiving bytes, or waiting for its next attempt.
        case running
        /// The transfer is paused.
        case paused
        /// The transfer has ended; see ``Transfer/result``.
        case finished
    }

    /// The state of the transfer.
    public var state: State

    /// The number of bytes that are complete, including the bytes of earlier attempts.
    public var completedBytes: Int64

    /// The total number of bytes; `nil` until it is known.
    public var totalBytes: Int64?

    /// The number of bytes per second, over the last few seconds.
    public var bytesPerSecond: Double

    /// The reason, for display, why the transfer last discarded completed bytes and started over; `nil` if it has not
    /// started over.
    public var startedOver: String?

    /// The number of bytes from which the transfer continued an earlier one, for example of another process; 0 if it has begun with the
    /// first byte or has started over.
    public var resumedBytes: Int64

    /// Creates a progress value.
    public init(
        state: State = .waiting,
        completedBytes: Int64 = 0,
        totalBytes: Int64? = nil,
        bytesPerSecond: Double = 0,
        startedOver: String? = nil,
        resumedBytes: Int64 = 0
    ) {
        self.state = state
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.startedOver = startedOver
        self.resumedBytes = resumedBytes
    }

    /// The fraction of the bytes that are complete, from 0 to 1; `nil` while the total is unknown.
    public var fraction: Double? {
        guard let totalBytes else { return nil }
        return totalBytes > 0 ? min(Double(completedBytes) / Double(totalBytes), 1) : 1
    }

    /// The estimated time until the transfer is complete; `nil` if it cannot be estimated.
    public var timeLeft: Duration? {
        guard let totalBytes, state == .running, bytesPerSecond > 0 else { return nil }
        // An estimate of more than about a century is not useful.
        let seconds = Double(max(totalBytes - completedBytes, 0)) / bytesPerSecond
        return seconds < 3e9 ? .seconds(seconds) : nil
    }
}

/// The progress of a transfer as an asynchronous sequence: the current value at once, then each change until the
/// transfer has ended.
///
/// A slow reader misses some values, but never the last. Each iteration is independent.
public struct TransferProgressUpdates: AsyncSequence, Sendable {
    private let reports: ProgressReports
    private let transfer: any Sendable

    init(reports: ProgressReports, of transfer: any Sendable) {
        self.reports = reports
        self.transfer = transfer
    }

    /// An iterator over the progress values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var stream: AsyncStream<TransferProgress>.Iterator
        fileprivate let transfer: any Sendable

        /// Returns the next value; `nil` after the last one, or if the task is cancelled.
        public mutating func next() async -> TransferProgress? {
            await stream.next()
        }
    }

    /// Creates an iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: reports.stream().makeAsyncIterator(), transfer: transfer)
    }
}
