/// Shows a person the server's pages, and brings back what the server sends them away with.
///
/// ``SystemBrowser`` does it on Linux and macOS, `WebAuthenticationSession` on Apple's platforms. An app with a way of its
/// own conforms a type of its own:
///
/// ```swift
/// struct EmbeddedBrowser: AuthorizationAgent {
///     func authorize(_ makeURL: @Sendable (String) async throws -> String) async throws -> String {
///         let url = try await makeURL("com.example.app:/callback")
///         return try await show(url, untilRedirectedTo: "com.example.app:/callback")
///     }
/// }
/// ```
public protocol AuthorizationAgent: Sendable {
    /// Has a person answer the pages of the authorization endpoint.
    ///
    /// - Parameter makeURL: Makes the URL to show, of the redirect URI that this agent waits at.
    /// - Returns: The redirect URI as the server called it, with the query that holds the answer.
    /// - Throws: ``NetworkError/timeout(_:)`` when nobody answered in time, ``NetworkError/cancelled(_:)`` when the person or
    ///   the task gave up, and what `makeURL` throws.
    func authorize(_ makeURL: @Sendable (_ redirectURI: String) async throws -> String) async throws -> String
}
