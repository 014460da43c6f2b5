import Foundation
import SallyportJourney
import SallyportOAuth

/// A sign-in with the tree `Login` of a gateway.
public enum TreeSignIn {
    /// The client identifier.
    public static let clientID = "app"
    /// The redirect URI, which is not called.
    public static let redirectURI = "https://app.example.com/cb"
    /// The scopes to request.
    public static let scope = "profile"

    /// Returns a journey with a session file, and a file with tokens beside it.
    public static func journey(storedIn file: URL, port: Int) throws(JourneyError) -> Journey {
        let settings = try JourneyConfiguration(
            clientID: clientID,
            redirectURI: redirectURI,
            scope: scope,
            tree: "Login",
            baseURL: "http://127.0.0.1:\(port)"
        )
        return Journey(
            settings,
            sessionStore: FileSessionStore(at: file),
            tokenStore: FileTokenStore(at: file.appendingPathExtension("tokens"))
        )
    }

    /// Signs in as `alice`, whether there is a session or not.
    @discardableResult
    public static func signIn(with journey: Journey) async throws(JourneyError) -> JourneySession? {
        try await journey.start(forceAuth: true).complete { node in
            node[NameCallback.self]?.name = "alice"
            node[PasswordCallback.self]?.password = "wonderland"
        }
    }
}
