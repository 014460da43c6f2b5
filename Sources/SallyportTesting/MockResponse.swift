import Foundation
import HTTPTypes
import SallyportTransport

/// How a ``MockTransport`` answers one request, and what goes wrong with it.
///
/// ```swift
/// MockResponse.json(#"{"name": "John"}"#)
/// MockResponse(status: .init(code: 503), headers: [.retryAfter: "1"])
/// MockResponse.text("a long text").with(.cut(after: 4))
/// MockResponse.fail(.timeout("no answer in 15 s"))
/// ```
public struct MockResponse: Sendable {
    /// The status.
    public var status: HTTPResponse.Status

    /// The header fields.
    public var headers: HTTPFields

    /// The bytes of the body.
    public var body: Data

    /// The trailer fields after the body.
    public var trailers: HTTPFields

    /// The informational responses (1xx) before this one.
    public var informational: [HTTPResponse]

    /// What the response says of its connection.
    public var connection: ConnectionFacts

    /// What goes wrong, if anything.
    public var fault: MockFault?

    /// Makes a response: 200 and empty, unless given.
    public init(
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: Data = Data(),
        trailers: HTTPFields = [:],
        informational: [HTTPResponse] = [],
        connection: ConnectionFacts = ConnectionFacts(httpVersion: .http1_1),
        fault: MockFault? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.trailers = trailers
        self.informational = informational
        self.connection = connection
        self.fault = fault
    }

    /// An empty response of a status.
    public static func status(_ code: Int) -> MockResponse {
        MockResponse(status: HTTPResponse.Status(code: code))
    }

    /// A response of JSON.
    public static func json(_ text: String, status code: Int = 200) -> MockResponse {
        MockResponse(
            status: HTTPResponse.Status(code: code),
            headers: [.contentType: "application/json"],
            body: Data(text.utf8)
        )
    }

    /// A response of plain text in UTF-8.
    public static func text(_ text: String, status code: Int = 200) -> MockResponse {
        MockResponse(
            status: HTTPResponse.Status(code: code),
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: Data(text.utf8)
        )
    }

    /// A redirect.
    public static func redirect(to location: String, status code: Int = 302) -> MockResponse {
        MockResponse(status: HTTPResponse.Status(code: code), headers: [.location: location])
    }

    /// No response but an error.
    public static func fail(_ error: NetworkError) -> MockResponse {
        MockResponse(fault: .fail(error))
    }

    /// No response at all: the call waits until it is cancelled, its time is over, or the transport is closed.
    public static let stall = MockResponse(fault: .stall)

    /// The same response with a header added.
    public func header(_ name: HTTPField.Name, _ value: String) -> MockResponse {
        var copy = self
        copy.headers.append(HTTPField(name: name, value: value))
        return copy
    }

    /// The same response with a fault.
    public func with(_ fault: MockFault) -> MockResponse {
        var copy = self
        copy.fault = fault
        return copy
    }
}
