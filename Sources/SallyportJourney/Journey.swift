import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SallyportTransport

/// Signs a user in with the authentication trees of a PingAM server, and manages the session.
///
/// ```swift
/// let journey = Journey(settings, sessionStore: FileSessionStore(at: file))
/// var step = try await journey.start("Login")
/// while case .node(var node) = step {
///     node[NameCallback.self]?.name = "alice"
///     node[PasswordCallback.self]?.password = password
///     step = try await node.next()
/// }
/// let api = client.authorized(by: journey.oauthSession, for: "https://api.example.com")
/// ```
///
/// A journey belongs to one user: a program with several users creates one for each, with stores of their own. They may share
/// an HTTP client. They do not use its cookies.
///
/// Every request carries an `Action`, so that interceptors can recognize and change it, and no access token.
public final class Journey: Sendable {
    /// The settings.
    public let configuration: JourneyConfiguration

    /// The client that sends all requests, with the cookies of the session. The size of responses is limited to 1 MiB.
    public let httpClient: HttpClient

    /// The client that obtains tokens with the session.
    public let oauthClient: OAuthClient

    /// The tokens of the session: the first ones are obtained when a call needs them, by an authorization request with the session.
    ///
    /// When another session replaces this one, the tokens are revoked.
    public let oauthSession: OAuthSession

    let callbackTypes: CallbackTypes
    let clock: TimeSource
    let stepUps = StepUps()
    private let sessions: JourneySessions
    private let tokens: JourneyTokens

    /// Creates a journey. Nothing is read or sent yet.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - sessionStore: The store of the session, which may contain one already.
    ///   - tokenStore: The store of the session's tokens, which may contain some already.
    ///   - httpClient: The client that sends the requests. Its own cookies are neither sent nor changed.
    ///   - callbackTypes: The types of callbacks, to which the app may have added its own.
    ///   - configureOAuth: A closure that changes the settings of the OAuth client. The HTTP client cannot be changed.
    public convenience init(
        _ configuration: JourneyConfiguration,
        sessionStore: any JourneySessionStore = MemorySessionStore(),
        tokenStore: any TokenStore = MemoryTokenStore(),
        httpClient: HttpClient? = nil,
        callbackTypes: CallbackTypes = CallbackTypes(),
        configureOAuth: (inout OAuthClientConfiguration) -> Void = { _ in }
    ) {
        self.init(
            configuration,
            sessionStore: sessionStore,
            tokenStore: tokenStore,
            httpClient: httpClient,
            callbackTypes: callbackTypes,
            clock: .system,
            configureOAuth: configureOAuth
        )
    }

    /// - Parameter clock: The time source for ``Node/poll(for:)``.
    package init(
        _ configuration: JourneyConfiguration,
        sessionStore: any JourneySessionStore = MemorySessionStore(),
        tokenStore: any TokenStore = MemoryTokenStore(),
        httpClient: HttpClient? = nil,
        callbackTypes: CallbackTypes = CallbackTypes(),
        clock: TimeSource,
        configureOAuth: (inout OAuthClientConfiguration) -> Void = { _ in }
    ) {
        let jar = CookieJar()
        let client = (httpClient ?? HttpClient.createClient()).forUser(cookieJar: jar) { config in
            config.timeouts.total = configuration.timeout
            config.maximumBodySize = min(config.maximumBodySize, JourneyResponse.maximumSize)
        }
        self.configuration = configuration
        self.httpClient = client
        self.callbackTypes = callbackTypes
        self.clock = clock
        oauthClient = OAuthClient(configuration) { config in
            configureOAuth(&config)
            config.httpClient = client
        }
        sessions = JourneySessions(sessionStore, for: configuration, jar: jar)
        tokens = JourneyTokens(client: oauthClient, sessions: sessions, cookieName: configuration.cookieName)
        oauthSession = OAuthSession(refresher: tokens, store: tokenStore, logger: client.configuration.logger)
    }

    // MARK: Trees

    /// Starts a tree.
    ///
    /// If there is a session, its cookies are sent: the server may then end the tree at once, with the same session.
    ///
    /// - Parameters:
    ///   - tree: The name of the tree; by default the tree of the configuration.
    ///   - forceAuth: A Boolean value that indicates whether the user must authenticate even if there is a session.
    ///   - noSession: A Boolean value that indicates whether the server creates no session, and only checks the answers.
    /// - Returns: The first step.
    /// - Throws: ``JourneyError/invalidConfiguration(_:)`` if there is no tree, ``JourneyError/network(_:)``,
    ///   ``JourneyError/invalidResponse(_:)``, ``JourneyError/store(_:)``.
    public func start(
        _ tree: String? = nil,
        forceAuth: Bool = false,
        noSession: Bool = false
    ) async throws(JourneyError) -> JourneyStep {
        guard let tree = tree ?? configuration.tree, !tree.isEmpty else {
            throw .invalidConfiguration(
                NetworkFailure(
                    "there is no tree to start",
                    advice: "pass its name, or set the tree in the configuration"
                )
            )
        }
        return try await start(type: "service", tree, forceAuth: forceAuth, noSession: noSession)
    }

    /// Starts the tree that an advice demands, so that the user confirms a transaction or authenticates with another tree.
    ///
    /// ``StepUpInterceptor`` calls it for your own calls.
    ///
    /// ```swift
    /// guard let advice = Advice(in: response) else { return }
    /// let step = try await journey.stepUp(advice: advice)
    /// ```
    ///
    /// - Parameters:
    ///   - advice: The advice of a server.
    ///   - forceAuth: A Boolean value that indicates whether the user must authenticate even if there is a session.
    ///   - noSession: A Boolean value that indicates whether the server creates no session.
    /// - Returns: The first step.
    /// - Throws: The same errors as ``start(_:forceAuth:noSession:)``.
    public func stepUp(
        advice: Advice,
        forceAuth: Bool = false,
        noSession: Bool = false
    ) async throws(JourneyError) -> JourneyStep {
        try await start(type: "composite_advice", advice.xml, forceAuth: forceAuth, noSession: noSession)
    }

    private func start(
        type: String,
        _ value: String,
        forceAuth: Bool,
        noSession: Bool
    ) async throws(JourneyError) -> JourneyStep {
        try configuration.check()
        try await sessions.prepareForSignIn()
        var parameters = [("authIndexType", type), ("authIndexValue", value)]
        if forceAuth { parameters.append(("ForceAuth", "true")) }
        let run = JourneyRun(self, type: type, tree: value, noSession: noSession)
        return try await run.start(.startAuthenticate, parameters)
    }

    /// Continues a suspended tree with the link that the server has sent to the user, for example in an email.
    ///
    /// Only the identifier in the link is sent, and always to the configured server.
    ///
    /// - Parameter url: The complete link.
    /// - Returns: The next step of the tree.
    /// - Throws: ``JourneyError/foreignLink(_:)`` if the link leads to another server, such as one with a similar name;
    ///   ``JourneyError/invalidLink(_:)`` if it contains no identifier; the errors of ``start(_:forceAuth:noSession:)``.
    public func resume(url: String) async throws(JourneyError) -> JourneyStep {
        try configuration.check()
        let identifier = try SuspensionLink(url, of: configuration).identifier
        try await sessions.prepareForSignIn()
        let run = JourneyRun(self, tree: nil)
        return try await run.start(.resumeAuthenticate, [("suspendedId", identifier)])
    }

    // MARK: The session

    /// Returns the stored session; `nil` if there is none. No request is sent, so the server may have ended it.
    ///
    /// - Throws: ``JourneyError/store(_:)``, or ``JourneyError/otherServer(_:)`` if it belongs to another server.
    public func session() async throws(JourneyError) -> JourneySession? {
        try await sessions.activate()
    }

    /// Obtains new tokens with the session, by an authorization request and the exchange of its code, and saves them in
    /// ``oauthSession``, which revokes the previous ones.
    ///
    /// A call with ``oauthSession`` obtains its first tokens itself. Use this method for tokens with certain properties:
    ///
    /// ```swift
    /// try await journey.requestTokens(parameters: ["acr_values": "mfa"])
    /// ```
    ///
    /// - Parameter parameters: Further parameters of the authorization request.
    /// - Throws: ``JourneyError/notSignedIn(_:)``, ``JourneyError/oauth(_:)``, ``JourneyError/network(_:)``,
    ///   ``JourneyError/store(_:)``, ``JourneyError/tokens(_:)``.
    @discardableResult
    public func requestTokens(parameters: [String: String] = [:]) async throws(JourneyError) -> OAuthTokens {
        do {
            guard let session = try await sessions.activate() else {
                throw JourneyError.notSignedIn(NetworkFailure("there is no session", advice: "sign in first"))
            }
            let new = try await tokens.requestTokens(for: session, parameters: parameters)
            let isSaved = try await sessions.whileStored(session) { [oauthSession] in try await oauthSession.save(new) }
            if isSaved { return new }
            try? await oauthClient.revoke(new)
            throw JourneyError.notSignedIn(
                NetworkFailure("the session was replaced meanwhile", advice: "request the tokens again")
            )
        } catch {
            throw JourneyError(wrapping: error, reason: "the tokens could not be obtained")
        }
    }

    /// Ends the session at the server, and removes it from the store with its cookies. The tokens remain; see ``logout()``.
    ///
    /// - Throws: ``JourneyError/network(_:)`` or ``JourneyError/invalidResponse(_:)``, and then the session is still stored, so that the
    ///   call can be repeated. A session that the server has ended already is not an error.
    public func endSession() async throws(JourneyError) {
        guard let session = try await sessions.activate() else { return }
        try await end(session)
        try await sessions.remove(session)
    }

    /// Signs the user out, in this order: ends the session at the OpenID provider if there is an id_token, revokes the tokens, ends
    /// the session at the server, and removes tokens, session and cookies from their stores.
    ///
    /// PingAM ends its session with the session of the provider. A refusal by the server to end the provider's session is only logged.
    ///
    /// - Returns: The refusal, if the server did not revoke the tokens; see `OAuthSession.logout()`.
    /// - Throws: ``JourneyError``. What could not be ended is still stored, so that the call can be repeated.
    @discardableResult
    public func logout() async throws(JourneyError) -> OAuthError? {
        do {
            if let tokens = try await oauthSession.current(), tokens.idToken != nil {
                try await endProviderSession(of: tokens)
            }
            let refusal = try await oauthSession.logout()
            try await endSession()
            // Until the session ended, a call may have obtained tokens with it.
            let laterRefusal = try await oauthSession.logout()
            return refusal ?? laterRefusal
        } catch {
            throw JourneyError(wrapping: error, reason: "the user could not be signed out")
        }
    }

    private func endProviderSession(of tokens: OAuthTokens) async throws {
        do {
            try await oauthClient.endSession(for: tokens)
        } catch let error as OAuthError where (error.status ?? 0) < 500 {
            httpClient.configuration.logger.warning("The session at the provider was not ended: \(error)")
        }
    }

    private func end(_ session: JourneySession) async throws(JourneyError) {
        var request = request(configuration.sessionsURL, .logout)
        request.addParameter(name: "_action", value: "logout")
        request.setHeader(name: ApiVersion.header, value: ApiVersion.sessions)
        request.setHeader(name: configuration.cookieName, value: session.token, isSensitive: true)
        request.post(json: ["tokenId": session.token])
        let response = try await send(request)
        // With 401, servers refuse a session that they have ended already.
        guard response.status.isSuccess() || response.status == .unauthorized else {
            throw .invalidResponse(
                NetworkFailure(
                    "the server did not end the session (status \(response.status.code))",
                    request: response.request.description,
                    advice: "try again later"
                )
            )
        }
    }

    /// Saves a new session. The tokens of another one are revoked first, and removed in any case.
    ///
    /// The session exists at the server already, so it is saved even if the task is cancelled.
    func replaceSession(with session: JourneySession) async throws(JourneyError) {
        let saving = Task { [sessions, oauthSession, httpClient] in
            try await sessions.replace(with: session) {
                let timeout = NetworkError.timeout(
                    NetworkFailure("the revocation took longer than \(Self.revocationLimit)")
                )
                do {
                    _ = try await withTimeLimit(Self.revocationLimit, orThrow: timeout) {
                        try await oauthSession.logout()
                    }
                } catch {
                    let message = "The tokens of the previous session were not revoked: \(error)"
                    httpClient.configuration.logger.warning("\(message)")
                    try await oauthSession.reset()
                }
            }
        }
        do { try await saving.value } catch { throw JourneyError(ofStore: error) }
    }

    /// The maximum time for the revocation of a previous session's tokens, while which the user waits for the end of a sign-in.
    private static let revocationLimit = Duration.seconds(10)

    /// Returns the user of tokens; `nil` if they have no id_token.
    func subject(of tokens: OAuthTokens) throws -> String? { try tokens.idToken.flatMap(oauthClient.subject) }

    // MARK: Requests

    /// Returns a request to the server, which carries its own credentials and is sent confidentially.
    func request(_ url: String, _ type: ActionType) -> HttpRequest {
        var request = oauthClient.server.request(url, type)
        request.setHeader(name: ApiVersion.header, value: ApiVersion.authentication)
        return request
    }

    /// Sends a request. It is not repeated if it may have reached the server, because each answer of a node is valid once.
    func send(_ request: HttpRequest) async throws(JourneyError) -> HttpResponse {
        var request = request
        oauthClient.server.disableRetries(of: &request)
        do throws(NetworkError) {
            return try await httpClient.request(request: request)
        } catch {
            throw .network(error)
        }
    }
}
