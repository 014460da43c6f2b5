import Foundation
import Sallyport

/// A refusal by a server, or a response that cannot be accepted. Its description contains no token.
public struct OAuthError: Error, Sendable {
    /// The error code (RFC 6749, section 5.2), such as `invalid_grant`; `nil` if the server sent none.
    public let error: String?
    /// The server's explanation: the `error_description`, or else the message of another JSON object, the title or the text of an HTML page,
    /// or the text of the response. It is one line of limited length, without the secrets that were sent.
    public let errorDescription: String?
    /// The status of the response; `nil` if the error was not in an HTTP response, but in the URL that a browser was
    /// redirected to, for example.
    public let status: Int?
    /// The body of the response. It may contain secrets, and is not part of the description.
    public let body: Data?
    /// The reason of the failure, and advice.
    public let failure: NetworkFailure
    /// The refresh token of a token response that was refused, for example because of an invalid id_token. It is not part of
    /// the description.
    ///
    /// After a refresh, store it in place of the previous refresh token, which the server may no longer accept. An
    /// ``OAuthSession`` does so.
    public var issuedRefreshToken: String?
    /// The date of the server when it refused the request (`Date`), if it sent one.
    package var serverDate: Date?
    /// `true` if the server responded to an authorization request with a page instead of a redirect to the client, because it must
    /// ask the user.
    package var showsPage = false

    /// Creates an error.
    public init(
        error: String? = nil,
        errorDescription: String? = nil,
        status: Int? = nil,
        body: Data? = nil,
        failure: NetworkFailure
    ) {
        self.error = error
        self.errorDescription = errorDescription
        self.status = status
        self.body = body
        self.failure = failure
    }
}

extension OAuthError {
    /// A Boolean value that indicates whether the grant is invalid, such as a refresh token that was used before. The user has
    /// to sign in again.
    ///
    /// The value is also `true` for a status of 400 without a body: RFC 6749, section 5.2 defines this status for
    /// refusals, and Glewlwyd refuses a refresh token that was used before with it. Because a proxy may send such a
    /// response too, only the error code `invalid_grant` removes the tokens of an ``OAuthSession``.
    public var isInvalidGrant: Bool {
        if let error { return error == "invalid_grant" }
        return status == 400 && body?.isEmpty == true
    }

    /// A Boolean value that indicates whether the server refused the client or its authentication.
    public var isInvalidClient: Bool { error == "invalid_client" || error == "unauthorized_client" }

    /// A Boolean value that indicates whether the user or the server denied the access.
    public var isAccessDenied: Bool { error == "access_denied" }

    /// A Boolean value that indicates whether a device code expired before it was approved.
    public var isExpired: Bool { error == "expired_token" }

    /// A Boolean value that indicates whether the same request may succeed later.
    var isTemporary: Bool {
        guard let status else { return false }
        return status >= 500 || status == 408 || status == 429
    }
}

extension OAuthError: CustomStringConvertible, CustomReflectable {
    /// The reason, the server's error, and advice, without the body.
    public var description: String { detailedFailure.description }

    /// The failure with the server's error, its explanation and the status in the reason.
    package var detailedFailure: NetworkFailure {
        let details = [
            error.map { SanitizedText.make(from: $0) },
            errorDescription.map { "\"\(SanitizedText.make(from: $0))\"" },
            status.map { "status \($0)" },
        ]
        let text = details.compactMap(\.self).joined(separator: ", ")
        var failure = failure
        if !text.isEmpty { failure.reason += " (\(text))" }
        return failure
    }

    /// The same as ``description``, so that `dump` prints no body either.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .struct) }
}
