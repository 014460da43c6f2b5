import HTTPTypes
import SallyportTransport

/// An HTTP status: its `code`, such as 404, and its reason phrase.
public typealias HttpStatus = HTTPResponse.Status

extension HttpStatus {
    /// Returns a Boolean value that indicates whether the request succeeded: 200 to 299.
    public func isSuccess() -> Bool { kind == .successful }

    /// Returns a Boolean value that indicates whether the response is a redirection: 300 to 399.
    public func isRedirect() -> Bool { kind == .redirection }

    /// Returns a Boolean value that indicates whether the request was faulty: 400 to 499.
    public func isClientError() -> Bool { kind == .clientError }

    /// Returns a Boolean value that indicates whether the server failed: 500 to 599.
    public func isServerError() -> Bool { kind == .serverError }

    /// The code and the reason phrase, such as `404 Not Found`, safe for display. A status without a phrase, as in HTTP/2, has the
    /// standard phrase of its code.
    package var summary: String {
        let phrase = reasonPhrase.isEmpty ? Self.standard.first { $0.code == code }?.reasonPhrase ?? "" : reasonPhrase
        return phrase.isEmpty ? "\(code)" : "\(code) \(VisibleText.line(phrase, longest: 200))"
    }

    /// The statuses with a standard phrase.
    private static let standard: [HttpStatus] = [
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
