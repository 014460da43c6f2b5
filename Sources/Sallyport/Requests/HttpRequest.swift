import Foundation
import HTTPTypes
import SallyportTransport

/// A request, built step by step and sent as often as one likes.
///
/// It is a value: a copy can be changed without changing the original.
///
/// ```swift
/// let response = try await client.request { request in
///     request.url = "https://api.example.com/users"
///     request.setHeader(name: "Accept", value: "application/json")
///     request.post(json: ["name": "John Doe"])
/// }
/// ```
///
/// Mistakes made on the way, such as a line break in a header, do not stop the building: the first of them is
/// thrown as ``NetworkError/invalidRequest(_:)`` when the request is sent, before anything leaves.
public struct HttpRequest: Sendable {
    /// Where to send it: an absolute `http` or `https` URL. Its own query is kept, its fragment is not sent.
    public var url: String?

    /// The parameters that follow the URL's own query, in order.
    public internal(set) var parameters: [(name: String, value: String)] = []

    /// What is sent after the head. Methods such as ``post(contentType:body:)-(_,String)`` set it too.
    public var body: RequestBody = .none {
        didSet { formText = nil }
    }

    /// How long the whole call may take, in seconds; takes the place of the total in ``timeouts``.
    ///
    /// Must be greater than zero; `.infinity` is no limit.
    public var timeout: TimeInterval? {
        didSet { checkTimeout() }
    }

    /// How long each phase may take, in place of what the client is configured with.
    public var timeouts: Timeouts?

    /// Whether the body waits for the server's `100 Continue` (RFC 9110, section 10.1.1).
    public var expectsContinue = false

    /// Asked for the trailer fields once the body has been sent (RFC 9110, section 6.5).
    public var trailers: (@Sendable () async throws -> HTTPFields)?

    /// Called for each informational response (1xx) as it comes.
    public var onInformational: (@Sendable (HTTPResponse) -> Void)?

    var method = HttpMethod.get
    var fields = HTTPFields()

    /// The body as text while it is one made by ``form(parameters:)-([String:String])``.
    var formText: String?

    /// The origin for which cookies were attached, which wire interceptors cannot change.
    var cookieOrigin: String?

    /// The origin for which credentials were attached, which wire interceptors cannot change either.
    var authorizationOrigin: String?

    /// The mistakes made so far. An array, as it is almost always empty and then costs one word.
    private(set) var problems: [NetworkFailure] = []

    /// Makes a GET request.
    ///
    /// - Parameter url: Where to send it; can be set later.
    public init(url: String? = nil) {
        self.url = url
    }

    /// Remembers a mistake, to be thrown when the request is sent.
    mutating func remember(_ problem: NetworkFailure) {
        problems.append(problem)
    }
}
