/// How a ``TransferQueue`` works.
public struct TransferQueueOptions: Sendable {
    /// How many transfers are made at a time; at least 1, at most 64.
    public var concurrency = 4

    /// How often, and when, a transfer is begun again that failed, beyond what it does by itself to go on.
    ///
    /// Its statuses and errors say which failures are worth it; its methods do not matter. A process that was killed
    /// counts for no attempt.
    public var retry = RetryPolicy.exponential(attempts: 5, base: .seconds(1), cap: .seconds(60))

    /// How often, and when, a transfer goes on by itself after the connection broke, before it counts as failed; as
    /// ``DownloadOptions/retry`` and ``UploadOptions/retry`` say unless set.
    ///
    /// A transfer that waits by itself keeps its place among those that are made; one that waits in the queue does not.
    public var transferRetry: RetryPolicy?

    /// How many transfers that have ended are kept to be asked for; those that ended first are forgotten first.
    public var keptEnds = 1_000

    /// For how long transfers that have ended are kept to be asked for; a week unless set.
    public var keptEndsFor = Duration.seconds(7 * 24 * 60 * 60)

    /// How many transfers there may be, those included that have ended and are kept.
    public var mostTransfers = 10_000

    /// Makes options with the defaults.
    public init() {}
}
