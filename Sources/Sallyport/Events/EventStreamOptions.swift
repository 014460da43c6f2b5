/// How a stream of server-sent events is read, and for how long.
public struct EventStreamOptions: Sendable, Hashable {
    /// The id of the last event that is known already, which the server is told with the first request.
    public var lastEventId: String?

    /// Whether to connect again when the connection has ended or broken; else its end is the stream's.
    ///
    /// A request that must not be repeated, such as a POST, is sent once in any case.
    public var reconnects = true

    /// How long to wait before connecting again, until the server says otherwise; 3 seconds unless set.
    public var reconnectionTime = Duration.seconds(3)

    /// The longest of these waits, whatever the server says and however often it failed; 5 minutes unless set.
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
