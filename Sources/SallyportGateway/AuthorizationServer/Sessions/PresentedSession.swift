/// The token of a session in a request.
struct PresentedSession: Sendable {
    /// The token, which may have expired; `nil` if the request has none.
    let token: String?
    /// A Boolean value that indicates whether the token is in a header field. Web pages of other sites can cause requests with the
    /// cookie, but not with the header field.
    let isInHeader: Bool
}
