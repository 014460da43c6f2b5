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
    /// - A connection that has ended is followed by another one, after the time that the server asks for within the limits
    ///   of ``EventStreamOptions``, and with the `Last-Event-ID`, in UTF-8. An id that no header can hold, as it has control characters or more than 4096 bytes,
    ///   is given to the app, but the server is told the last one before it: so events may come twice, and none is lost.
    ///   Browsers send such ids as they are (section 9.2.3), which servers refuse (RFC 9110, section 5.5).
    /// - The stream ends for good when the server answers 204, when the task is cancelled, when nobody reads on, or when
    ///   it has taken as long as its request allows; see ``EventStreamOptions/silence``.
    /// - A connection that fails, or is answered with a status that the retry policy names, is tried again under the
    ///   policy of the request or the client, which counts the failures in succession; 10, unless there is a policy.
    ///   Any other answer than 200 with `text/event-stream` is an error at once.
    /// - Redirects, authorization, cookies and interceptors are those of any call, on each connection.
    ///
    /// - Parameters:
    ///   - options: How the stream is read, and for how long.
    ///   - builder: Builds the request, at once.
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
        try await Call(of: state, in: nil).wait(for: delay, by: configuration.retryTime)
    }
}
