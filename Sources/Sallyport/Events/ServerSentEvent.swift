/// One event of a stream of server-sent events (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The last id that the stream has set, by this event or one before it; `nil` if none, or if it was taken back.
    public var id: String?

    /// What kind of event it is: `message`, unless the server says.
    public var type: String

    /// What it says: its `data` lines, joined with line feeds.
    public var data: String

    /// How long to wait before connecting again, if this event says so.
    public var retry: Duration?

    /// Makes an event.
    public init(id: String? = nil, type: String = "message", data: String, retry: Duration? = nil) {
        self.id = id
        self.type = type
        self.data = data
        self.retry = retry
    }
}
