import HTTPTypes
import SallyportTransport

/// A status of HTTP: its `code`, such as 404, and what it is called.
public typealias HttpStatus = HTTPResponse.Status

extension HttpStatus {
    /// Whether the request was understood and accepted: 200 to 299.
    public func isSuccess() -> Bool { kind == .successful }

    /// Whether the client has to look elsewhere: 300 to 399.
    public func isRedirect() -> Bool { kind == .redirection }

    /// Whether the request was at fault: 400 to 499.
    public func isClientError() -> Bool { kind == .clientError }

    /// Whether the server was at fault: 500 to 599.
    public func isServerError() -> Bool { kind == .serverError }

    /// The code and the reason phrase, such as `404 Not Found`, in a form that is safe to show. A status without a phrase,
    /// as in HTTP/2, has that of its code in RFC 9110.
    package var words: String {
        let phrase = reasonPhrase.isEmpty ? HttpStatus(integerLiteral: code).reasonPhrase : reasonPhrase
        return phrase.isEmpty ? "\(code)" : "\(code) \(VisibleText.line(phrase, longest: 200))"
    }
}
