import Foundation
import HTTPTypes
import SallyportTransport

/// A response of a ``MockTransport``, or a failure.
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

    /// The properties of the connection.
    public var connection: ConnectionFacts

    /// The simulated failure, if any.
    public var fault: MockFault?

    /// Creates a response. The defaults are status 200 and an empty body.
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

    /// Returns an empty response with a status.
    public static func status(_ code: Int) -> MockResponse {
        MockResponse(status: HTTPResponse.Status(code: code))
    }

    /// Returns a JSON response.
    public static func json(_ text: String, status code: Int = 200) -> MockResponse {
        MockResponse(
            status: HTTPResponse.Status(code: code),
            headers: [.contentType: "application/json"],
            body: Data(text.utf8)
        )
    }

    /// Returns a response of plain text in UTF-8.
    public static func text(_ text: String, status code: Int = 200) -> MockResponse {
        MockResponse(
            status: HTTPResponse.Status(code: code),
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: Data(text.utf8)
        )
    }

    /// Returns a redirect.
    public static func redirect(to location: String, status code: Int = 302) -> MockResponse {
        MockResponse(status: HTTPResponse.Status(code: code), headers: [.location: location])
    }

    /// Returns a failure without a response.
    public static func fail(_ error: NetworkError) -> MockResponse {
        MockResponse(fault: .fail(error))
    }

    /// A failure without a response: the call waits until it is cancelled or times out, or the transport is closed.
    public static let stall = MockResponse(fault: .stall)

    /// Returns the response with an additional header.
    public func header(_ name: HTTPField.Name, _ value: String) -> MockResponse {
        var copy = self
        copy.headers.append(HTTPField(name: name, value: value))
        return copy
    }

    /// Returns the response with a simulated failure.
    public func with(_ fault: MockFault) -> MockResponse {
        var copy = self
        copy.fault = fault
        return copy
    }
}

/// A simulated failure of a ``MockTransport``'s response.
public enum MockFault: Sendable {
    /// The exchange fails before the response.
    case fail(NetworkError)

    /// There is no response until the call is cancelled or times out, or the transport is closed.
    case stall

    /// The body is delivered in chunks of this number of bytes.
    case drip(bytes: Int)

    /// The body fails after this number of bytes with ``NetworkError/incompleteBody(_:)``.
    case cut(after: Int)

    /// The body stalls after this number of bytes, as in ``stall``.
    case stallBody(after: Int)
}
