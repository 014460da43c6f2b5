import SallyportTransport

/// The events of a server, as they come, over as many connections as it takes.
///
/// It connects when the first event is asked for, and closes the connection when its iterator is let go of: by `break`,
/// an error, or the end of the task. Each iteration has connections of its own.
public struct ServerSentEvents: AsyncSequence, Sendable {
    let client: HttpClient
    let request: HttpRequest
    let options: EventStreamOptions

    /// Reads the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: EventReader

        /// The next event; `nil` once the stream is over.
        ///
        /// - Throws: ``EventStreamError``. After that the stream is over.
        public mutating func next() async throws(EventStreamError) -> ServerSentEvent? {
            try await reader.next()
        }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: EventReader(client, request, options))
    }
}
