import SallyportTransport

/// A sequence of the events of a server, received over successive connections.
///
/// It connects when the first event is requested, and closes the connection when its iterator is released: after `break`, an error,
/// or the end of the task. Each iteration uses separate connections.
public struct ServerSentEvents: AsyncSequence, Sendable {
    let client: HttpClient
    let request: HttpRequest
    let options: EventStreamOptions

    /// An iterator over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: EventReader

        /// Returns the next event; `nil` after the end of the stream.
        ///
        /// - Throws: ``EventStreamError``, which ends the stream.
        public mutating func next() async throws(EventStreamError) -> ServerSentEvent? {
            try await reader.next()
        }
    }

    /// Returns an iterator, which connects when the first event is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: EventReader(client, request, options))
    }
}

/// An event of a stream of server-sent events (WHATWG HTML, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The last id that this event or a previous one has set; `nil` if there is none or if it was reset.
    public var id: String?

    /// The type of the event, `message` if the server sends none.
    public var type: String

    /// The `data` lines, joined by line feeds.
    public var data: String

    /// The reconnection time that this event sets, if any.
    public var retry: Duration?

    /// Creates an event.
    public init(id: String? = nil, type: String = "message", data: String, retry: Duration? = nil) {
        self.id = id
        self.type = type
        self.data = data
        self.retry = retry
    }
}
