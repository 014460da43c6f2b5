import Foundation
import SallyportJOSE

/// The gateway's authorization server for OAuth 2 and OpenID Connect, for development and tests. All its data is in memory.
///
/// Tests can read ``statistics`` and cause events that a real server meets from time to time, such as
/// ``expireAccessTokens()``.
///
/// ```swift
/// let server = try AuthorizationServer(.development())
/// try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
///     // … sign in at address.baseURL …
///     await server.expireAccessTokens()
///     // … call /protected from many tasks …
///     print(await server.statistics.grants["refresh_token"] ?? 0)
/// }
/// ```
public actor AuthorizationServer {
    // This actor is a facade over components with private state. The components are not Sendable, so that only this actor can
    // use them: whatever one of them does between two suspensions is atomic.
    //
    // A new component is a class with private tables in its own directory, with a property and methods here, and a route group in
    // `routeGroups`.

    /// The users, clients and settings.
    public nonisolated let configuration: AuthorizationServerConfiguration
    nonisolated let formKey = FormKey()

    private let context: ServerContext
    // Clients
    private let clients: ClientRegistry
    private let authenticator: ClientAuthenticator
    private let proofs: ProofChecker
    private let statements: SoftwareStatements
    private let registeredDevices: RegisteredDevices
    // Users
    private let accounts: UserAccounts
    private let sessions: UserSessions
    private let pushedRequests: PushedRequests
    private let flow: AuthorizationFlow
    private let logout: Logout
    // Trees
    private let links: MagicLinks
    private let transactions: Transactions
    private let journeys: Journeys
    private let pushDevices: PushDevices
    // Grants
    private let grants: GrantTable
    private let codes: AuthorizationCodes
    private let deviceAuthorizations: DeviceAuthorizations
    private let refreshTokens: RefreshTokens
    private let deviceUsers: DeviceUsers
    // Tokens
    private let signer: TokenSigner
    private let issuing: TokenIssuer
    private let exchanger: TokenExchanger
    private let resources: ProtectedResources

    /// Creates a server with new keys.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)`` if the configuration contradicts itself.
    public init(_ configuration: AuthorizationServerConfiguration) throws(GatewayError) {
        try self.init(configuration, now: { Date() })
    }

    /// Creates a server with a clock of its own.
    package init(
        _ configuration: AuthorizationServerConfiguration,
        now: @escaping @Sendable () -> Date
    ) throws(GatewayError) {
        try configuration.validate()
        let context = ServerContext(configuration, clock: now)
        let passwords = PasswordCheck()
        self.configuration = configuration
        self.context = context

        clients = ClientRegistry(context)
        authenticator = ClientAuthenticator(context, clients: clients, passwords: passwords)
        proofs = ProofChecker(context)
        statements = SoftwareStatements(context)

        do {
            signer = try TokenSigner(context)
        } catch {
            throw .invalidIdentity("A signing key cannot be generated: \(error)")
        }
        accounts = UserAccounts(context, passwords: passwords)
        grants = GrantTable(context)
        issuing = TokenIssuer(context, grants: grants, signer: signer)
        deviceUsers = DeviceUsers(context, clients: clients, accounts: accounts, grants: grants, issuer: issuing)
        registeredDevices = RegisteredDevices(
            context,
            clients: clients,
            authenticator: authenticator,
            users: deviceUsers
        )
        codes = AuthorizationCodes(context, grants: grants, deviceUsers: deviceUsers)
        deviceAuthorizations = DeviceAuthorizations(context, grants: grants)
        refreshTokens = RefreshTokens(context, grants: grants, issuer: issuing)
        exchanger = TokenExchanger(context, issuer: issuing)
        resources = ProtectedResources(
            context,
            clients: clients,
            accounts: accounts,
            issuer: issuing,
            signer: signer,
            proofs: proofs
        )

        sessions = UserSessions(context, accounts: accounts)
        pushedRequests = PushedRequests(context, clients: clients)
        flow = AuthorizationFlow(
            context,
            clients: clients,
            sessions: sessions,
            pushedRequests: pushedRequests,
            codes: codes,
            formKey: formKey
        )
        logout = Logout(context, clients: clients, sessions: sessions, signer: signer, formKey: formKey)

        links = MagicLinks(context)
        transactions = Transactions(context)
        pushDevices = PushDevices(context)
        journeys = Journeys(
            context,
            accounts: accounts,
            sessions: sessions,
            links: links,
            transactions: transactions,
            services: JourneyServices(
                context,
                accounts: accounts,
                oneTimePasswords: OneTimePasswordDevices(context),
                passkeys: Passkeys(context),
                push: pushDevices
            )
        )
    }

    // MARK: State

    /// The issuer identifier in tokens and metadata.
    public var issuer: String { context.issuer }

    /// The numbers of requests that the server has handled since it was created.
    public var statistics: GatewayStatistics { context.statistics }

    /// Uses the gateway's address as the issuer, unless the configuration sets another.
    func serve(at address: String) {
        if configuration.issuer == nil { context.issuer = address }
    }

    /// A Boolean value that indicates whether browsers connect with TLS.
    var isSecure: Bool { issuer.hasPrefix("https:") }

    /// The number of grants, which may include expired ones.
    var grantCount: Int { grants.count }

    func count(_ refusal: OAuthRefusal) {
        context.countRefusal(refusal)
    }

    // MARK: Discovery

    func metadata(_ paths: EndpointPaths) -> [String: JsonValue] { context.metadata(paths) }

    func publishedKeys() -> JsonWebKeySet { signer.publishedKeys() }

    // MARK: Clients

    /// Registers a client, or changes the registration of the key that the request proves (RFC 7591).
    func register(
        _ body: Data,
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> (members: [String: JsonValue], isNew: Bool) {
        try configuration.minimumVersions.check(request.userAgent)
        let statement = try await statements.statement(in: body)
        guard statement != nil || configuration.allowsRegistration else {
            throw OAuthRefusal(.accessDenied, "This server does not allow client registration.")
        }
        let proofKey = try await proofs.key(of: request, by: "registration")
        return try clients.register(body, statement: statement, proofKey: proofKey)
    }

    func registration(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal) -> [String: JsonValue] {
        try clients.registration(id, request)
    }

    func unregister(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal) {
        try registeredDevices.unregister(id, request)
    }

    /// Returns the users who are registered on the device that sends a request.
    func registeredUsers(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        try await registeredDevices.users(request)
    }

    /// Deregisters a user on the device that sends a request.
    func deregisterUser(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        try await registeredDevices.deregisterUser(request)
    }

    /// Returns the nonce for a response, or `nil` if proofs need none.
    func nonceForResponse() -> String? { proofs.nonceForResponse() }

    // MARK: Tokens

    /// Issues tokens for any grant type (RFC 6749, section 3.2).
    func token(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        try configuration.minimumVersions.check(request.userAgent)
        let client = try await authenticator.authenticate(request)
        guard let grantType = GrantType(rawValue: try request.parameters.require("grant_type")) else {
            throw OAuthRefusal(.unsupportedGrantType, "The grant type is not supported.")
        }
        guard client.allows(grantType) else {
            throw OAuthRefusal(.unauthorizedClient, "The client is not registered for this grant type.")
        }
        let proofKey = try await proofs.key(of: request, by: client.id)
        // The device may have been deregistered since it was authenticated.
        guard clients.client(client.id) != nil else { throw OAuthRefusal.deregistered }
        guard proofKey != nil || !client.metadata.demandsProofs else {
            throw OAuthRefusal(
                .invalidProof,
                "The client is registered to prove its key, but the request has no proof."
            )
        }
        let request = TokenRequest(
            client: client,
            parameters: request.parameters,
            proofKey: proofKey,
            issuerPath: request.issuerPath
        )
        let response =
            switch grantType {
            case .authorizationCode: try await redeem(request)
            case .deviceCode: try await firstTokens(try deviceAuthorizations.redeem(request), request)
            case .refreshToken: try await refreshTokens.refresh(request)
            case .clientCredentials: try await issuing.clientCredentialsResponse(request)
            case .tokenExchange: try await exchanger.exchange(request)
            case .implicitAuthentication: try await deviceUsers.authenticateImplicitly(request)
            }
        context.countGrant(grantType)
        return response
    }

    /// Issues tokens for a code, and registers its user if the client is a device.
    private func redeem(_ request: TokenRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let grant = try codes.redeem(request)
        let response = try await firstTokens(grant, request)
        deviceUsers.register(grant, on: request.client)
        return response
    }

    /// Issues the first tokens of a user's grant. A refresh token is bound to a key only if its client is public (RFC 9449,
    /// section 5).
    private func firstTokens(
        _ grant: Grant,
        _ request: TokenRequest
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        var refreshToken: String?
        if request.client.allows(.refreshToken) {
            refreshToken = refreshTokens.issue(for: grant, proofKey: request.client.isPublic ? request.proofKey : nil)
        }
        return try await issuing.response(
            grant,
            request,
            scopes: grant.scopes,
            refreshToken: refreshToken,
            nonce: grant.nonce
        )
    }

    /// Describes a token to a client that authenticates, or returns only that it is not active (RFC 7662).
    func introspect(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let client = try await authenticator.authenticate(request)
        guard !client.isPublic, clients.isConfigured(client.id) else {
            throw OAuthRefusal(.invalidClient, "Introspection requires the authentication of a server.")
        }
        let token = try request.parameters.require("token")
        return issuing.introspection(token) ?? refreshTokens.introspection(token) ?? ["active": false]
    }

    /// Revokes an access token, or a refresh token with its grant (RFC 7009). An unknown token is not an error.
    func revoke(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) {
        let client = try await authenticator.authenticate(request)
        let token = try request.parameters.require("token")
        if try issuing.revoke(token, by: client) { return }
        try refreshTokens.revoke(token, by: client)
    }

    /// Returns the claims of an active access token, or `nil`.
    func claims(ofAccessToken token: String) -> [String: JsonValue]? { issuing.introspection(token) }

    func userInfo(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> UserInfoResponse {
        try await resources.userInfo(request)
    }

    func protectedResource(
        _ request: GatewayEndpointRequest,
        authenticatedBy tree: String? = nil,
        maximumAge: TimeInterval = .infinity
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        try await resources.protectedResource(request, authenticatedBy: tree, maximumAge: maximumAge)
    }

    // MARK: Browsers

    /// Stores an authorization request that a client pushes (RFC 9126).
    func push(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let client = try await authenticator.authenticate(request)
        let proofKey = try await proofs.key(of: request, by: client.id)
        return try pushedRequests.push(request.parameters, by: client, proofKey: proofKey)
    }

    func authorize(_ query: FormParameters, session: PresentedSession, paths: EndpointPaths) -> AuthorizationStep {
        flow.begin(query, session: session, paths: paths)
    }

    func submitLogin(_ form: FormParameters, cookie: String?) async -> (step: AuthorizationStep, cookie: String?) {
        await flow.submitLogin(form, cookie: cookie)
    }

    func submitConsent(_ form: FormParameters, cookie: String?) -> AuthorizationStep {
        flow.submitConsent(form, cookie: cookie)
    }

    func endSession(_ parameters: FormParameters, cookie: String?) async -> AuthorizationStep {
        await logout.endSession(parameters, cookie: cookie)
    }

    func session(_ cookie: String?) -> UserSession? { sessions.session(cookie) }

    func signIn(
        _ form: FormParameters,
        replacing cookie: String?
    ) async -> Result<(session: UserSession, cookie: String), SignInProblem> {
        await sessions.signIn(form, replacing: cookie)
    }

    // MARK: Trees

    /// Begins or continues a tree.
    func authenticate(_ request: JourneyRequest) async throws(JourneyRefusal) -> Journeys.Response {
        try await journeys.authenticate(request)
    }

    func logout(_ session: PresentedSession, tokenID: String?, realm: GatewayRealm) throws(JourneyRefusal) {
        try sessions.logout(session, tokenID: tokenID, realm: realm)
    }

    /// Returns the session that a call presents, or else the session that its access token was issued in.
    ///
    /// - Throws: ``JourneyRefusal`` if there is no such session, or ``OAuthRefusal`` for an invalid access token.
    func session(_ presented: PresentedSession, or request: GatewayEndpointRequest) async throws -> UserSession {
        if let session = sessions.session(presented.token, in: nil) { return session }
        guard !request.authorization.isEmpty else { throw JourneyRefusal.noSession }
        let token = try await resources.authorize(request, scope: "api")
        guard let id = token.grant.sessionID, let session = sessions.session(id: id) else {
            throw JourneyRefusal.noSession
        }
        return session
    }

    /// Decides about a call that the user must authorize by a tree each time.
    func decide(
        _ call: String,
        by session: UserSession,
        transaction id: String?,
        tree: String
    ) -> Transactions.Decision {
        transactions.decide(call, by: session, transaction: id, tree: tree)
    }

    /// Decides about a call that needs a session of a tree.
    func decide(by session: UserSession, tree: String) -> Transactions.Decision {
        transactions.decide(by: session, tree: tree)
    }

    // MARK: Push

    /// Handles the request of an authenticator app.
    func answerPush(_ action: AuthenticatorAction, _ request: AuthenticatorRequest) async throws(JourneyRefusal) {
        switch action {
        case .register: try await pushDevices.register(request)
        case .authenticate: try await pushDevices.answer(request)
        case .refresh: try await pushDevices.refresh(request)
        }
    }

    /// Returns the push messages for a device, each of them once.
    func pushMessages(for deviceID: String) -> [DeliveredPushMessage] { pushDevices.collect(deviceID) }

    // MARK: Devices without a browser

    /// Issues the codes for a device (RFC 8628).
    func authorizeDevice(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> [String: JsonValue] {
        let client = try await authenticator.authenticate(request)
        return try deviceAuthorizations.begin(client, request.parameters, issuerPath: request.issuerPath)
    }

    func pendingDevice(
        _ userCode: String,
        typedBy session: UserSession
    ) -> (code: SecretHash, authorization: GatewayDeviceAuthorization)? {
        deviceAuthorizations.pending(userCode, typedBy: session)
    }

    func decide(_ code: SecretHash, isAllowed: Bool, by session: UserSession) -> Bool {
        deviceAuthorizations.decide(code, isAllowed: isAllowed, by: session)
    }
}

// MARK: - Development

extension AuthorizationServer {
    /// Ends all access tokens now. Refresh tokens stay valid.
    public func expireAccessTokens() {
        issuing.revokeAll()
    }

    /// Revokes all grants, and thereby all tokens.
    public func revokeEverything() {
        grants.revokeAll { _ in true }
    }

    /// The registered devices, in no particular order.
    public var devices: [RegisteredDevice] { registeredDevices.all }

    /// Deregisters a device, as its operator would. Its tokens and the registrations of its users end.
    ///
    /// - Returns: `false` if there is no device with this client identifier.
    @discardableResult
    public func deregisterDevice(_ clientID: String) -> Bool {
        registeredDevices.deregister(clientID)
    }

    /// Deregisters a user, as an operator would. The user's tokens on these devices end.
    ///
    /// - Parameters:
    ///   - subject: The subject identifier of the user (`sub`).
    ///   - clientID: The device; `nil` for all devices.
    /// - Returns: The number of devices on which the user was registered.
    @discardableResult
    public func deregisterUser(_ subject: String, onDevice clientID: String? = nil) -> Int {
        deviceUsers.deregister(subject, on: clientID)
    }

    /// Creates a new signing key for each algorithm. It is published at once.
    ///
    /// - Parameter lead: The time until the new key signs, in seconds. Clients can fetch the key during this time.
    public func rotateSigningKeys(lead: TimeInterval = 0) throws(GatewayError) {
        do {
            try signer.rotate(lead: lead)
        } catch {
            throw .invalidIdentity("A signing key cannot be generated: \(error)")
        }
    }

    /// The messages with magic links of the last day, which the gateway does not send by email; the newest first.
    public var inbox: [GatewayEmail] { links.inbox }

    /// Invalidates all nonces that were issued for DPoP proofs so far.
    public func rotateProofNonces() {
        proofs.rotateNonces()
    }

    /// Approves the request of a device, as a user would on the verification page.
    ///
    /// - Parameters:
    ///   - userCode: The code that the device shows, in any case and with or without dashes.
    ///   - username: The user who approves it.
    /// - Returns: `true` if there are such a code and such a user.
    @discardableResult
    public func approveDevice(userCode: String, as username: String) -> Bool {
        guard let user = accounts.user(named: username), let device = deviceAuthorizations.pending(userCode) else {
            return false
        }
        var session = UserSession(id: Secret.randomName(), user: user, startedAt: context.now)
        session.authenticationMethods = []
        return deviceAuthorizations.decide(device.code, isAllowed: true, by: session)
    }

    /// Begins a grant without issuing tokens, for tests of the limits.
    func begin(_ grant: Grant) {
        grants.begin(grant)
    }
}
