/// Shows the server's sign-in pages to a person, and returns the URL that the server redirects them to.
///
/// ``SystemBrowser`` is the agent for Linux and macOS, `WebAuthenticationSession` the one for Apple platforms. An app with
/// another way to show web pages conforms a type of its own:
///
/// ```swift
/// struct EmbeddedBrowser: AuthorizationAgent {
///     func authorize(
///         _ makeRequest: @Sendable (String) async throws -> AuthorizationRequest
///     ) async throws -> String {
///         let request = try await makeRequest("com.example.app:/callback")
///         return try await show(request.url, untilRedirectedTo: request.redirectURI, withState: request.state)
///     }
/// }
/// ```
public protocol AuthorizationAgent: Sendable {
    /// Shows the pages of the authorization endpoint until the server redirects the person back.
    ///
    /// Any app or page may call the redirect URI. An agent that can tell callbacks apart ignores those whose `state` is
    /// not that of the request, and keeps waiting. The state is not part of the request's URL if the request was pushed
    /// to the server (RFC 9126).
    ///
    /// - Parameter makeRequest: Makes the request to show, from the redirect URI that this agent receives callbacks at.
    /// - Returns: The redirect URI as the server called it, including the query that holds the answer.
    /// - Throws: ``NetworkError/timeout(_:)`` when nobody answered in time, ``NetworkError/cancelled(_:)`` when the person
    ///   or the task gave up, and what `makeRequest` throws.
    func authorize(
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> String
}
