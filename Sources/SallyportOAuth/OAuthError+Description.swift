import Foundation
import Sallyport

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
            error.map { ServerWords.shown($0) },
            errorDescription.map { "\"\(ServerWords.shown($0))\"" },
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
