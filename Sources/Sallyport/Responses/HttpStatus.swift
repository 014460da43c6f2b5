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
    /// as in HTTP/2, has the usual one of its code.
    package var words: String {
        let phrase = reasonPhrase.isEmpty ? Self.known.first { $0.code == code }?.reasonPhrase ?? "" : reasonPhrase
        return phrase.isEmpty ? "\(code)" : "\(code) \(VisibleText.line(phrase, longest: 200))"
    }

    /// The statuses that have a name.
    private static let known: [HttpStatus] = [
        .switchingProtocols, .earlyHints, .ok, .created, .accepted, .nonAuthoritativeInformation, .noContent,
        .resetContent, .partialContent, .multipleChoices, .movedPermanently, .found, .seeOther, .notModified,
        .temporaryRedirect, .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound,
        .methodNotAllowed, .notAcceptable, .proxyAuthenticationRequired, .requestTimeout, .conflict, .gone,
        .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong, .unsupportedMediaType,
        .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest, .unprocessableContent, .tooEarly,
        .upgradeRequired, .preconditionRequired, .tooManyRequests, .requestHeaderFieldsTooLarge,
        .unavailableForLegalReasons, .internalServerError, .notImplemented, .badGateway, .serviceUnavailable,
        .gatewayTimeout, .httpVersionNotSupported, .networkAuthenticationRequired,
    ]
}
