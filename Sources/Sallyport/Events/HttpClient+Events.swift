import SallyportTransport

extension HttpClient {
    /// Reads server-sent events (WHATWG HTML, section 9.2), and connects again whenever the connection ends.
    ///
    /// ```swift
    /// let events = client.events { request in request.url = "https://api.example.com/events" }
    /// for try await event in events {
    ///     print(event.type, event.data)
    /// }
    /// ```
    ///
    /// - When a connection ends, the client connects again with the `Last-Event-ID` in UTF-8. It first waits for the
    ///   time that the server asks for, within the limits of ``EventStreamOptions``.
    /// - An id that no header can hold, because it has control characters or more than 4096 bytes, is passed to the
    ///   app, but the server receives the last id before it: events may come twice, and none is lost. Browsers send
    ///   such ids as they are (section 9.2.3), which servers refuse (RFC 9110, section 5.5).
    /// - The stream ends when the server answers 204, when the task is cancelled, when nobody reads any more, or when
    ///   the timeout of the request has passed; see ``EventStreamOptions/silence``.
    /// - A connection that fails, or is answered with a status of the retry policy, is repeated under the policy of the
    ///   request or the client, which counts successive failures. Without a policy, 10 of them are allowed. Any other
    ///   response than 200 with `text/event-stream` is an error at once.
    /// - Redirects, authorization, cookies and interceptors apply to each connection, as to any call.
    ///
    /// - Parameters:
    ///   - options: The times and limits of the stream.
    ///   - builder: Builds the request. It is called before this method returns.
    /// - Returns: The events. Reading them throws ``EventStreamError``.
    public func events(
        options: EventStreamOptions = EventStreamOptions(),
        _ builder: (inout HttpRequest) -> Void
    ) -> ServerSentEvents {
        var request = request()
        builder(&request)
        return events(request: request, options: options)
    }

    /// Reads server-sent events; see ``events(options:_:)``.
    public func events(
        request: HttpRequest,
        options: EventStreamOptions = EventStreamOptions()
    ) -> ServerSentEvents {
        ServerSentEvents(client: self, request: request, options: options)
    }

    /// Waits, until the task is cancelled or the client closed at most.
    func wait(for delay: Duration) async throws(NetworkError) {
        try await state.wait(for: delay, by: configuration.retryTime)
    }
}
