/// The options for reading a stream of server-sent events.
public struct EventStreamOptions: Sendable, Hashable {
    /// The id of the last event that was already received, which is sent to the server with the first request. The default is `nil`.
    public var lastEventId: String?

    /// A Boolean value that indicates whether the client connects again after the connection has ended or failed. Otherwise the stream
    /// ends with the connection. The default is `true`.
    ///
    /// A request that must not be repeated, such as a POST, is sent only once in any case.
    public var reconnects = true

    /// The time to wait before connecting again, until the server sets another one with `retry`. The default is 3 seconds.
    public var reconnectionTime = Duration.seconds(3)

    /// The shortest wait before connecting again, even if the stream's `retry` field asks for less. The default is half a
    /// second.
    ///
    /// Otherwise a server with `retry: 0` and short connections would make the client connect thousands of times per second.
    public var shortestReconnectionTime = Duration.milliseconds(500)

    /// The longest wait before connecting again, even if the stream's `retry` field asks for more or connecting has failed
    /// often. The default is 5 minutes.
    ///
    /// A `Retry-After` replaces both limits; it is limited by ``RetryPolicy/longestRetryAfter``.
    public var longestReconnectionTime = Duration.seconds(300)

    /// The time without any data from the server, not even a comment, after which the client connects again. The default is the
    /// client's ``Timeouts/idle``.
    ///
    /// The duration of the stream is unlimited unless its request has a ``HttpRequest/timeout``, which includes all connections and the
    /// waits between them, and ends the stream with ``NetworkError/timeout(_:)``. The total of ``HttpRequest/timeouts``, or of
    /// the client's timeouts, limits the time until the head of each response.
    public var idleTimeout: Duration?

    /// The maximum length of a line in bytes. The default is 1 MiB.
    public var maximumLineSize = 1 << 20

    /// The maximum size of the data of an event in bytes. The default is 4 MiB.
    public var maximumEventSize = 4 << 20

    /// Creates the default options.
    public init() {}
}
