import Foundation
import Hummingbird
import Sallyport
import SallyportOAuth

/// The users of the server, by the cookies of their browsers.
///
/// Each user has an `OAuthSession` with its own tokens, and a client that sends them to the API. All clients share connections.
actor Users {
    private struct User {
        let session: OAuthSession
        let client: HttpClient
    }

    nonisolated let api: String
    private let server: OAuthClient
    private let baseURL: String
    private let http = HttpClient.createClient()
    private var users: [String: User] = [:]
    /// The logins that have begun, oldest first. Some are never completed, so a new one beyond the maximum replaces the oldest.
    private var logins: [(cookie: String, request: AuthorizationRequest)] = []

    private static let maximumUsers = 1_000
    private static let maximumLogins = 1_000

    init(issuer: String, clientID: String, secret: String, api: String, baseURL: String) {
        self.api = api
        self.baseURL = baseURL
        server = OAuthClient(issuer: issuer, clientID: clientID) { config in
            config.authentication = .secretBasic(secret)
            config.scopes = ["openid", "profile", "offline_access", "api"]
            config.redirectURI = "\(baseURL)/callback"
        }
    }

    /// Returns the client that calls the API for a user; `nil` if nobody has signed in with the cookie.
    func client(of cookie: String?) -> HttpClient? {
        cookie.flatMap { users[$0] }?.client
    }

    /// Begins a login.
    ///
    /// - Returns: The URL at which the user signs in, and a new cookie for the browser.
    func beginLogin() async throws -> (url: String, cookie: String) {
        guard users.count < Self.maximumUsers else {
            throw HTTPError(.serviceUnavailable, message: "Too many users are signed in.")
        }
        let request = try await server.authorizationRequest()
        let cookie = Self.randomCookie()
        if logins.count >= Self.maximumLogins { logins.removeFirst() }
        logins.append((cookie, request))
        return (request.url, cookie)
    }

    /// Completes a login with the code in the URL that the identity server has redirected the browser to.
    ///
    /// The request is found by the cookie, so that a login cannot be completed in another browser.
    ///
    /// - Returns: A new cookie for the browser.
    func finishLogin(_ target: String, cookie: String?) async throws -> String {
        guard let index = logins.firstIndex(where: { $0.cookie == cookie }) else {
            throw HTTPError(.badRequest, message: "This browser has not begun a login.")
        }
        let request = logins.remove(at: index).request
        let tokens = try await server.tokens(from: baseURL + target, for: request)
        let session = OAuthSession(refresher: server, store: MemoryTokenStore())
        try await session.save(tokens)
        let cookie = Self.randomCookie()
        users[cookie] = User(session: session, client: http.forUser().authorized(by: session, for: api))
        return cookie
    }

    /// Revokes and removes the tokens of a user.
    func logout(_ cookie: String?) async throws {
        guard let user = cookie.flatMap({ users.removeValue(forKey: $0) }) else { return }
        _ = try await user.session.logout()
        user.client.close()
    }

    private static func randomCookie() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
    }
}
