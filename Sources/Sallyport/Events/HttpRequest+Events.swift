import SallyportTransport

extension HttpRequest {
    static let headerLastEventId = "Last-Event-ID"

    /// Adds the headers that ask for events, where the request does not have them.
    ///
    /// - Parameter lastEventId: The id of the last event that is known already.
    package mutating func askForEvents(after lastEventId: String? = nil) {
        let headers = [
            (NetworkConstants.headerAccept, NetworkConstants.contentTypeEventStream), ("Cache-Control", "no-cache"),
        ]
        for (name, value) in headers where getHeader(name: name) == nil { setHeader(name: name, value: value) }
        if let lastEventId { setLastEventId(lastEventId) }
    }

    /// Tells the server the id of the last event; an empty one is none.
    mutating func setLastEventId(_ id: String) {
        if id.isEmpty {
            removeHeader(name: Self.headerLastEventId)
        } else {
            setHeader(name: Self.headerLastEventId, value: id)
        }
    }
}
