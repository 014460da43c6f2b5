import Sallyport
import SallyportOAuth
import SallyportStorage

/// The HTTP clients for the kinds of calls. Each user, the device, and unauthenticated calls have cookies of their own.
final class CallClients: Sendable {
    /// A client with the tokens and cookies of one owner.
    private struct OwnedClient: Sendable {
        let owner: Int
        let client: HttpClient
    }

    /// The user of implicit calls.
    private struct ImplicitUser: Sendable {
        let name: String
        let session: OAuthSession
        let cookies: CookieJar?
        let owned: OwnedClient
    }

    private let http: HttpClient
    private let identity: DeviceIdentity
    private let origins: OriginSet
    private let user = Locked<OwnedClient?>(nil)
    private let device = Locked<OwnedClient?>(nil)
    private let implicitUser = Locked<ImplicitUser?>(nil)

    /// Creates the clients.
    ///
    /// - Parameters:
    ///   - http: The client of unauthenticated calls. The others share its connections. If it has no cookie jar, the others have none.
    ///   - identity: The sessions.
    ///   - origins: The origins that may receive tokens.
    init(_ http: HttpClient, identity: DeviceIdentity, origins: OriginSet) {
        self.http = http
        self.identity = identity
        self.origins = origins
    }

    /// Returns the client for a call that begins now.
    ///
    /// - Throws: ``ResourceError/Reason/userNotImplicitlyAuthenticated``.
    func client(for call: ResourceCall) throws(ResourceError) -> HttpClient {
        switch call {
        case .unauthenticated: return http
        case .authenticated: return client(in: user, identity.userSession, of: identity.userOwner, for: call)
        case .anonymous: return client(in: device, identity.deviceSession, of: identity.deviceOwner, for: call)
        case .implicit:
            let user = implicitUser.withLock { $0 }
            if let user, user.owned.owner == identity.deviceOwner.current { return user.owned.client }
            throw ResourceError(
                .userNotImplicitlyAuthenticated,
                NetworkFailure("no user is implicitly authenticated", advice: "call implicitlyAuthenticate first")
            )
        }
    }

    /// Uses the tokens of a user for implicit calls. The cookies remain if it is the same user.
    func setImplicitUser(_ name: String) {
        let session = identity.implicitSession(of: name)
        implicitUser.withLock { user in
            let isSame = user?.name == name && user?.owned.owner == identity.deviceOwner.current
            if isSame, user?.session === session { return }
            let cookies = isSame ? user?.cookies : newCookies()
            let owned = makeClient(session, of: identity.deviceOwner, for: .implicit, cookies)
            user = ImplicitUser(name: name, session: session, cookies: cookies, owned: owned)
        }
    }

    private func client(
        in current: Locked<OwnedClient?>,
        _ session: OAuthSession,
        of owner: TokenOwner,
        for call: ResourceCall
    ) -> HttpClient {
        current.withLock { current in
            if let current, current.owner == owner.current { return current.client }
            let new = makeClient(session, of: owner, for: call, newCookies())
            current = new
            return new.client
        }
    }

    private func newCookies() -> CookieJar? { http.configuration.cookieJar == nil ? nil : CookieJar() }

    private func makeClient(
        _ session: OAuthSession,
        of owner: TokenOwner,
        for call: ResourceCall,
        _ cookies: CookieJar?
    ) -> OwnedClient {
        let ownership = OwnershipInterceptor(owner: owner, call: call)
        let client = http.derived { config in
            config.cookieJar = cookies
            config.authentication.insert(ownership, at: 0)
        }
        return OwnedClient(owner: ownership.number, client: client.authorized(by: session, for: origins))
    }
}

/// Refuses a request if its tokens belong to another owner than when its call began, for example because another user has signed in.
///
/// It runs after the tokens were added and before the cookies are.
private struct OwnershipInterceptor: MessageInterceptor {
    let owner: TokenOwner
    let number: Int
    let call: ResourceCall

    var traceName: String { "owner of the tokens" }

    init(owner: TokenOwner, call: ResourceCall) {
        self.owner = owner
        number = owner.current
        self.call = call
    }

    func willSend(_ request: inout HttpRequest) throws {
        if owner.current == number { return }
        throw ResourceError(
            call.notAuthenticated ?? .unknown,
            NetworkFailure(
                "another user has signed in since the call began, or the registration has ended",
                advice: "make the call again for the current user"
            )
        )
    }
}
