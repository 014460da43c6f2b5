import Foundation
import Sallyport

/// A server's refusal, or an answer of it that cannot be accepted. It shows no token.
public struct OAuthError: Error, Sendable {
    /// The server's word for it (RFC 6749, section 5.2), such as `invalid_grant`; `nil` if it gave none.
    public let error: String?
    /// The server's explanation.
    public let errorDescription: String?
    /// The status of the response; `nil` where the error came otherwise, as in a browser's redirect.
    public let status: Int?
    /// The body of the response as it came; it may hold secrets, and is not shown.
    public let body: Data?
    /// What was tried and what to do, in words.
    public let failure: NetworkFailure
    /// The refresh token of a token response that was refused, as for an invalid id_token; not shown.
    ///
    /// After a refresh, keep it in place of the one that was sent, which the server may no longer accept. An ``OAuthSession``
    /// does so.
    public var issuedRefreshToken: String?

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
    /// Whether the grant is over, such as a refresh token that was used before: the person has to sign in again.
    ///
    /// A token endpoint that answers 400 without any body says so too: RFC 6749, section 5.2 has that status for
    /// refusals, and Glewlwyd answers so to a refresh token that was used before. Something on the way may have answered
    /// so too: an ``OAuthSession`` is ended only by the word `invalid_grant`.
    public var isInvalidGrant: Bool {
        if let error { return error == "invalid_grant" }
        return status == 400 && body?.isEmpty == true
    }

    /// Whether the server does not know the client, or not by what it has shown.
    public var isInvalidClient: Bool { error == "invalid_client" || error == "unauthorized_client" }

    /// Whether the person, or the server on behalf of the person, has said no.
    public var isAccessDenied: Bool { error == "access_denied" }

    /// Whether a code was not approved in time.
    public var isExpired: Bool { error == "expired_token" }

    /// A Boolean value that indicates whether the same request may succeed later.
    var isTemporary: Bool {
        guard let status else { return false }
        return status >= 500 || status == 408 || status == 429
    }
}

extension OAuthError: CustomStringConvertible, CustomReflectable {
    /// What was tried, what the server said, and what to do; never the body.
    public var description: String {
        let words = [
            error.map { SanitizedText.make(from: $0) },
            errorDescription.map { "\"\(SanitizedText.make(from: $0))\"" },
            status.map { "status \($0)" },
        ]
        let said = words.compactMap(\.self).joined(separator: ", ")
        var failure = failure
        if !said.isEmpty { failure.reason += " (\(said))" }
        return failure.description
    }

    /// The same as ``description``, so that dumping shows no body either.
    public var customMirror: Mirror { Mirror(self, children: ["error": description], displayStyle: .struct) }
}
