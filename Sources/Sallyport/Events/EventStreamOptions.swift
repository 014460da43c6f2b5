/// How a stream of server-sent events is read, and for how long.
public struct EventStreamOptions: Sendable, Hashable {
    /// The id of the last event that is known already, which the server is told with the first request.
    public var lastEventId: String?

    /// Whether to connect again when the connection has ended or broken; else its end is the stream's.
    ///
    /// A request that must not be repeated, such as a POST, is sent once in any case.
    public var reconnects = true

    /// The time to wait before connecting again, until the server sets another one with `retry`. The default is 3 seconds.
    public var reconnectionTime = Duration.seconds(3)

    /// The shortest wait before connecting again, even if the server asks for less. The default is half a second.
    ///
    /// With `retry: 0` and short connections, a server would otherwise have the client connect thousands of times per second.
    public var shortestReconnectionTime = Duration.milliseconds(500)

    /// The longest wait before connecting again, whatever the server asks for and however often it failed. The default is
    /// 5 minutes.
    public var longestReconnectionTime = Duration.seconds(300)

    /// How long the server may say nothing, not even a comment, before the connection is given up for another one;
    /// the client's ``Timeouts/idle`` unless set.
    ///
    /// The stream as a whole has no limit of time, unless its request has a ``HttpRequest/timeout``: that is for all
    /// connections and the waits between them, and ends the stream with ``NetworkError/timeout(_:)``. The total of
    /// ``HttpRequest/timeouts``, or of the client's, is here the limit on each answer's head.
    public var silence: Duration?

    /// The longest line, in bytes; 1 MiB unless set.
    public var maximumLineSize = 1 << 20

    /// The most data of one event, in bytes; 4 MiB unless set.
    public var maximumEventSize = 4 << 20

    /// Makes options with the defaults.
    public init() {}
}
