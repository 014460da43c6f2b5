import Foundation

/// Handles an authorization request of a browser: login, consent, and the redirect with a code.
final class AuthorizationFlow {
    /// The maximum time between the request and the user's login or consent, in seconds.
    private static let lifetime: TimeInterval = 600
    private static let consentLifetime: TimeInterval = 30 * 24 * 3600

    private let context: ServerContext
    private let clients: ClientRegistry
    private let sessions: UserSessions
    private let pushedRequests: PushedRequests
    private let codes: AuthorizationCodes
    private let formKey: FormKey
    private var pending = ExpiringTable<String, PendingAuthorization>(limit: 4096) { $1.request.client.id }
    /// The scopes that users have allowed clients.
    private var consents = ExpiringTable<ConsentKey, Set<String>>(limit: 4096) { key, _ in key.subject }

    init(
        _ context: ServerContext,
        clients: ClientRegistry,
        sessions: UserSessions,
        pushedRequests: PushedRequests,
        codes: AuthorizationCodes,
        formKey: FormKey
    ) {
        self.context = context
        self.clients = clients
        self.sessions = sessions
        self.pushedRequests = pushedRequests
        self.codes = codes
        self.formKey = formKey
    }

    /// Begins the handling of an authorization request.
    ///
    /// - Parameters:
    ///   - query: The parameters of the request.
    ///   - session: The token of the user's session.
    ///   - paths: The paths of the realm that the request was sent to.
    func begin(_ query: FormParameters, session: PresentedSession, paths: EndpointPaths) -> AuthorizationStep {
        let parameters: FormParameters
        let pushed: SecretHash?
        let target: AuthorizationTarget
        do throws(OAuthRefusal) {
            (parameters, pushed) = try pushedRequests.resolve(query)
            target = try AuthorizationTarget(
                parameters,
                clients: clients,
                issuer: context.issuer + paths.issuer
            )
        } catch {
            return .message(title: "This link does not work", text: error.description)
        }
        do throws(OAuthRefusal) {
            guard pushed != nil || !target.client.metadata.demandsPushedRequests else {
                throw OAuthRefusal(.invalidRequest, "The client must push its requests (RFC 9126).")
            }
            let request = try GatewayAuthorizationRequest(target, parameters)
            let id = Secret.randomName()
            let authorization = PendingAuthorization(
                request: request,
                pushed: pushed,
                paths: paths,
                hasSessionHeader: session.isInHeader
            )
            let now = context.now
            pending.insert(authorization, for: id, until: now + Self.lifetime, now: now)
            return next(id, authorization, cookie: session.token)
        } catch {
            return refuse(target, error)
        }
    }

    /// Continues an authorization with the form of the login page.
    nonisolated(nonsending) func submitLogin(
        _ form: FormParameters,
        cookie: String?
    ) async -> (step: AuthorizationStep, cookie: String?) {
        guard let (id, authorization) = authorization(form, cookie: cookie) else { return (Self.outdated, nil) }
        switch await sessions.signIn(form, replacing: cookie, realm: authorization.paths.realm) {
        case .success(let (session, newCookie)):
            let updated = pending.update(id, now: context.now) { authorization in
                authorization.signedInSession = session.id
                return authorization
            }
            guard let updated else { return (Self.outdated, newCookie) }
            return (next(id, updated, cookie: newCookie), newCookie)
        case .failure(let problem):
            let username = form["username"] ?? ""
            return (.login(page(id, authorization.request), username: username, problem: problem.sentence), nil)
        }
    }

    /// Continues an authorization with the form of the consent page.
    ///
    /// The form is accepted only from the session that the page was shown to. If a login from before this authorization
    /// has become older than `max_age` meanwhile, the login page is shown again.
    func submitConsent(_ form: FormParameters, cookie: String?) -> AuthorizationStep {
        guard let (id, authorization) = authorization(form, cookie: cookie),
            let session = sessions.session(cookie, in: authorization.paths.realm),
            authorization.consentingSession == session.id
        else { return Self.outdated }
        let request = authorization.request
        guard form["decision"] == "allow" else {
            pending.remove(id)
            return refuse(request.target, OAuthRefusal(.accessDenied, "The user has denied the request."))
        }
        guard isFresh(session, for: authorization) else { return next(id, authorization, cookie: cookie) }
        let key = ConsentKey(session, request.client)
        let now = context.now
        let allowed = consents.value(for: key, now: now) ?? []
        consents.insert(allowed.union(request.scopes), for: key, until: now + Self.consentLifetime, now: now)
        return finish(id, authorization, session)
    }

    /// Returns the next step of an authorization: a redirect to the client, or a page for the user.
    private func next(_ id: String, _ authorization: PendingAuthorization, cookie: String?) -> AuthorizationStep {
        let request = authorization.request
        guard let session = sessions.session(cookie, in: authorization.paths.realm),
            isFresh(session, for: authorization)
        else {
            if request.prompts.contains(.none) {
                pending.remove(id)
                return refuse(request.target, OAuthRefusal(.loginRequired, "No user is signed in."))
            }
            return .login(page(id, request), username: request.loginHint ?? "", problem: nil)
        }
        // A login page cannot replace a tree (RFC 9470, section 5).
        if let trees = request.trees, !trees.contains(session.tree ?? "") {
            pending.remove(id)
            let description = "The user has not signed in by one of the trees (acr_values)."
            return refuse(request.target, OAuthRefusal(.unmetAuthenticationRequirements, description))
        }
        if needsConsent(authorization, session) {
            if request.prompts.contains(.none) {
                pending.remove(id)
                return refuse(request.target, OAuthRefusal(.consentRequired, "The user's consent is needed."))
            }
            pending.update(id, now: context.now) { $0.consentingSession = session.id }
            return .consent(page(id, request), username: session.user.username, scopes: request.scopes)
        }
        return finish(id, authorization, session)
    }

    /// Issues a code, and returns the redirect to the client with it.
    private func finish(_ id: String, _ authorization: PendingAuthorization, _ session: UserSession)
        -> AuthorizationStep
    {
        pending.remove(id)
        if let pushed = authorization.pushed, !pushedRequests.consume(pushed) {
            return .message(title: "This link does not work", text: "It was used before.")
        }
        let code = codes.issue(for: authorization.request, by: session, issuerPath: authorization.paths.issuer)
        return .redirect(authorization.request.target.url([("code", code)]))
    }

    /// Counts a refusal, and returns the redirect to the client with its error code.
    private func refuse(_ target: AuthorizationTarget, _ refusal: OAuthRefusal) -> AuthorizationStep {
        context.countRefusal(refusal)
        return .redirect(target.url(refusal))
    }

    /// Returns a Boolean value that indicates whether the user has signed in as recently as `prompt` and `max_age` require.
    private func isFresh(_ session: UserSession, for authorization: PendingAuthorization) -> Bool {
        if authorization.signedInSession == session.id { return true }
        let request = authorization.request
        if !request.prompts.isDisjoint(with: [.login, .selectAccount]) { return false }
        return request.maximumAge.map { context.now.timeIntervalSince(session.startedAt) <= $0 } ?? true
    }

    /// Returns `true` unless the user has already allowed the request's scopes.
    ///
    /// A public client always needs consent, because any program can claim its identifier (RFC 8252, section 8.6). The consent is
    /// implied for a client with ``GatewayClient/impliesConsent`` if the request has the session's token in a header field: a web
    /// page cannot cause such a request, and a program that knows the token can already act as the user.
    private func needsConsent(_ authorization: PendingAuthorization, _ session: UserSession) -> Bool {
        let request = authorization.request
        let isImplied = authorization.hasSessionHeader && authorization.signedInSession == nil
        if isImplied, request.client.impliesConsent, !request.prompts.contains(.consent) { return false }
        if request.prompts.contains(.consent) || request.client.isPublic { return true }
        let allowed = consents.value(for: ConsentKey(session, request.client), now: context.now) ?? []
        return !allowed.isSuperset(of: request.scopes)
    }

    private func page(_ id: String, _ request: GatewayAuthorizationRequest) -> AuthorizationForm {
        AuthorizationForm(
            subject: id,
            clientName: request.client.name,
            destination: RedirectURI.source(of: request.target.redirectURI)
        )
    }

    /// Returns the authorization that a form belongs to, or `nil` if this server has not sent the form to the browser with the
    /// cookie.
    private func authorization(_ form: FormParameters, cookie: String?) -> (
        id: String, authorization: PendingAuthorization
    )? {
        guard let id = form["authorization"], formKey.accepts(form["csrf"], for: id, cookie: cookie),
            let authorization = pending.value(for: id, now: context.now)
        else { return nil }
        return (id, authorization)
    }

    /// The page for a form that is sent too late, out of order, or by another browser.
    private static let outdated = AuthorizationStep.message(
        title: "This page is out of date",
        text: "Return to the app that sent you here, and start again."
    )
}

/// An authorization request that waits for the login or the consent of the user.
private struct PendingAuthorization: Sendable {
    let request: GatewayAuthorizationRequest
    /// The pushed request that contained it, which can be used once.
    let pushed: SecretHash?
    /// The paths of the realm that the request was sent to.
    let paths: EndpointPaths
    /// A Boolean value that indicates whether the request contained the session's token in a header field.
    let hasSessionHeader: Bool
    /// The id of the session that was started by a login during this authorization.
    var signedInSession: String?
    /// The id of the session whose user has been shown the consent page; `nil` until the authorization needs consent.
    var consentingSession: String?
}

/// The user and the client of a stored consent.
private struct ConsentKey: Hashable, Sendable {
    let subject: String
    let clientID: String

    init(_ session: UserSession, _ client: GatewayClient) {
        subject = session.user.subject
        clientID = client.id
    }
}
