import HTTPTypes

/// The response to one request: its head, a body to be read within the scope of the exchange, and how it came.
public struct TransportResponse: Sendable {
    /// The status and header fields of the final response.
    public var head: HTTPResponse

    /// The body, read with back-pressure: the server is slowed to the pace of the reader.
    public var body: ResponseBody

    /// What is known of the connection that carried the exchange.
    public var connection: ConnectionFacts

    /// The informational responses (1xx) that came before the final one.
    public var informational: [HTTPResponse]

    /// Makes a response of its parts.
    public init(
        head: HTTPResponse,
        body: ResponseBody = .empty,
        connection: ConnectionFacts = ConnectionFacts(),
        informational: [HTTPResponse] = []
    ) {
        self.head = head
        self.body = body
        self.connection = connection
        self.informational = informational
    }
}
