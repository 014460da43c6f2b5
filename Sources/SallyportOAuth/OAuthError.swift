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
