import SallyportTransport

extension HttpClient {
    /// Returns a stream of server-sent events (WHATWG HTML, section 9.2), which connects again whenever the connection ends.
    ///
    /// ```swift
    /// let events = client.events { request in request.url = "https://api.example.com/events" }
    /// for try await event in events {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// - When a connection ends, the client waits for the reconnection time of the server, within the limits of
    ///   ``EventStreamOptions``, and connects again with the `Last-Event-ID` in UTF-8. Only the origin that has sent an id receives it,
    ///   even if a redirect leads to another one; the initial id belongs to the origin of the request.
    /// - An id that is invalid in a header, because it contains control characters or more than 4096 bytes, is passed to the app, but
    ///   the server receives the last valid id: events may be received twice, but none is lost. Browsers send such ids unchanged
    ///   (section 9.2.3), which servers reject (RFC 9110, section 5.5).
    /// - The stream ends when the server answers 204, the task is cancelled, the iterator is released, or the timeout of the request
    ///   has passed; see ``EventStreamOptions/idleTimeout``.
    /// - A failed connection, or a response with a status of the retry policy, is retried under the policy of the request or the
    ///   client, which counts successive failures. Without a policy, 10 failures are allowed. Any other response than 200 with
    ///   `text/event-stream` is an error immediately.
    /// - Redirects, authorization, cookies and interceptors apply to each connection, as to any call.
    ///
    /// - Parameters:
    ///   - options: The options of the stream.
    ///   - builder: A closure that builds the request. It is called before this method returns.
    /// - Returns: The events. Iterating over them throws ``EventStreamError``.
    public func events(
        options: EventStreamOptions = EventStreamOptions(),
        _ builder: (inout HttpRequest) -> Void
    ) -> ServerSentEvents {
        var request = request()
        builder(&request)
        return events(request: request, options: options)
    }

    /// Returns a stream of server-sent events; see ``events(options:_:)``.
    public func events(
        request: HttpRequest,
        options: EventStreamOptions = EventStreamOptions()
    ) -> ServerSentEvents {
        ServerSentEvents(client: self, request: request, options: options)
    }
}

extension HttpClient {
    /// Waits until a delay is over, the task is cancelled or the client is closed.
    func wait(for delay: Duration) async throws(NetworkError) {
        try await state.wait(for: delay, by: configuration.retryTime)
    }
}

extension HttpRequest {
    static let headerLastEventId = "Last-Event-ID"

    /// Adds the headers of a request for an event stream, unless the request has them already.
    ///
    /// - Parameter lastEventId: The id of the last event that was already received.
    package mutating func setEventStreamHeaders(lastEventId: String? = nil) {
        let headers = [
            (NetworkConstants.headerAccept, NetworkConstants.contentTypeEventStream), ("Cache-Control", "no-cache"),
        ]
        for (name, value) in headers where getHeader(name: name) == nil { setHeader(name: name, value: value) }
        if let lastEventId { setLastEventId(lastEventId) }
    }

    /// Sets the header with the id of ``lastEvent`` if the request goes to the origin that has sent the id, and removes it otherwise.
    mutating func setLastEventId(for target: RequestTarget) {
        guard let lastEvent else { return }
        setLastEventId(lastEvent.origin == target.origin ? lastEvent.id : "")
    }

    /// Sets the header with the id of the last event; removes it if the id is empty.
    mutating func setLastEventId(_ id: String) {
        if id.isEmpty {
            removeHeader(name: Self.headerLastEventId)
        } else {
            setHeader(name: Self.headerLastEventId, value: id)
        }
    }
}

/// The id of the last event of a stream.
struct LastEvent: Sendable, Hashable {
    /// The id; empty if the stream has none.
    let id: String
    /// The origin that has sent the id.
    let origin: String
}
