import Foundation
import Sallyport
import SallyportJOSE

/// An interceptor that adds the access token of a session to requests to certain origins (RFC 6750, RFC 9449).
///
/// A token of the type `DPoP` is sent with a new proof for each request, which contains the nonce that the server requires.
/// After a 401 the tokens are refreshed once, and the request is sent again if its body can be sent again. Otherwise the caller
/// gets the 401, and the next call uses new tokens. A 401 with the error `insufficient_user_authentication` (RFC 9470) is returned,
/// because the user must authenticate again.
///
/// No token is added to:
/// - requests to other origins, including redirects to them,
/// - requests that already have an `Authorization` header,
/// - requests that carry their own credentials (`HttpRequest.carriesOwnCredentials`), such as the requests of an
///   ``OAuthClient``,
/// - requests that are part of a refresh. An authorized client can therefore also send the requests of the refresh.
///
/// ```swift
/// config.authentication = [.oauth(session, for: "https://api.example.com")]
/// ```
public struct OAuthAuthentication: Interceptor {
    /// The treatment of requests if there is no token, because the user has not logged in or the login has ended.
    public enum SignedOutPolicy: Sendable, Hashable {
        /// The call fails, and nothing is sent.
        case fail

        /// The request is sent without a token, for servers that also answer users who have not logged in.
        case sendWithoutToken
    }

    /// The treatment of requests if there is no token; ``SignedOutPolicy/fail`` by default.
    ///
    /// It applies if the session has no tokens, or finds before the request is sent that they have expired and cannot be
    /// refreshed, or that the server has ended the session. All other errors fail the call in any case: for example, if the refresh
    /// fails on the network, or the tokens in the store belong to another client.
    ///
    /// ```swift
    /// let shop = client.authorized(by: session, for: "https://shop.example.com", whenSignedOut: .sendWithoutToken)
    /// ```
    public let whenSignedOut: SignedOutPolicy

    private let session: OAuthSession
    private let origins: Result<OriginSet, NetworkError>
    private let nonces = ProofNonces()

    /// Creates an interceptor that authenticates requests to a set of origins.
    ///
    /// Every call fails with `NetworkError.invalidRequest` before anything is sent if an origin uses plain `http` and its host is
    /// neither a loopback address nor `localhost`. A call over plain `http` through a proxy fails in the same way.
    ///
    /// - Parameters:
    ///   - session: The session that provides the tokens.
    ///   - origins: The origins that may receive the tokens.
    ///   - whenSignedOut: The treatment of requests if there is no token.
    public init(_ session: OAuthSession, for origins: OriginSet, whenSignedOut: SignedOutPolicy = .fail) {
        self.init(session, origins: .success(origins), whenSignedOut)
    }

    /// Creates an interceptor that authenticates requests to the origins of some URLs.
    ///
    /// If an origin is invalid or insecure, every call fails with `NetworkError.invalidRequest`; see
    /// ``init(_:for:whenSignedOut:)-(_,OriginSet,_)``.
    ///
    /// - Parameters:
    ///   - session: The session that provides the tokens.
    ///   - origins: At least one `https` URL. Paths and queries are ignored.
    ///   - whenSignedOut: The treatment of requests if there is no token.
    public init(_ session: OAuthSession, for origins: [String], whenSignedOut: SignedOutPolicy = .fail) {
        self.init(session, origins: Result { () throws(NetworkError) in try OriginSet(origins) }, whenSignedOut)
    }

    private init(
        _ session: OAuthSession,
        origins: Result<OriginSet, NetworkError>,
        _ whenSignedOut: SignedOutPolicy
    ) {
        self.session = session
        self.whenSignedOut = whenSignedOut
        self.origins = origins.flatMap { origins in
            let insecure = origins.first { EndpointAddress.problem(with: $0) != nil }
            guard let insecure else { return .success(origins) }
            let reason = "tokens cannot be sent to \(insecure), because others could read them on the network"
            return .failure(.invalidRequest(NetworkFailure(reason, advice: "use https")))
        }
    }

    /// Sends the request with a token, and again with a refreshed token if the server rejects the first one.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let origins = try origins.get()
        guard request.getHeader(name: "Authorization") == nil, origins.contains(request),
            !request.carriesOwnCredentials, !session.isWithinRefresh
        else { return try await next(request) }
        do throws(OAuthSessionError) {
            return try await send(request, next)
        } catch {
            throw error.networkError
        }
    }

    private func send(_ request: HttpRequest, _ next: Next) async throws(OAuthSessionError) -> HttpResponse {
        guard let tokens = try await tokensUnlessSignedOut(for: request, next) else {
            return try await sendWithoutToken(request, next)
        }
        let isReplayable = request.body.isReplayable
        let canRefresh = session.refresher.canRefresh(tokens)
        let rejects = { @Sendable (response: HttpResponse) in
            canRefresh && response.status == .unauthorized && !response.requiresNonce && !response.demandsStepUp
        }
        let response = try await send(request, with: tokens, next.discarding { isReplayable && rejects($0) })
        if !rejects(response) { return response }
        guard isReplayable else {
            session.reject(tokens)
            return response
        }
        // The refresh may need this response's connection.
        await response.discard()
        return try await send(request, with: self.tokens(replacing: tokens, for: request, next), next)
    }

    /// Returns tokens, or `nil` if there are none and the request is to be sent without a token.
    private func tokensUnlessSignedOut(
        for request: HttpRequest,
        _ next: Next
    ) async throws(OAuthSessionError) -> OAuthTokens? {
        do throws(OAuthSessionError) {
            return try await tokens(for: request, next)
        } catch {
            if error.meansSignedOut, whenSignedOut == .sendWithoutToken { return nil }
            throw error
        }
    }

    private func sendWithoutToken(
        _ request: HttpRequest,
        _ next: Next
    ) async throws(OAuthSessionError) -> HttpResponse {
        do throws(NetworkError) {
            return try await next(request)
        } catch {
            throw .network(error)
        }
    }

    /// Waits for tokens, at most until the timeout of the call.
    private func tokens(
        replacing rejected: OAuthTokens? = nil,
        for request: HttpRequest,
        _ next: Next
    ) async throws(OAuthSessionError) -> OAuthTokens {
        try await session.waitForTokens(replacing: rejected) {
            do throws(NetworkError) {
                try await next.wait(for: next.timeLeft(for: request) ?? .seconds(86_400))
                return .network(.timeout(Self.timeout))
            } catch {
                return .network(error)
            }
        }
    }

    private static let timeout = NetworkFailure(
        "the timeout of the call was reached before tokens for it were available",
        advice: SettingAdvice.raiseTimeoutOfCall.rawValue
    )

    private func send(
        _ request: HttpRequest,
        with tokens: OAuthTokens,
        _ next: Next
    ) async throws(OAuthSessionError) -> HttpResponse {
        do {
            var request = request
            request.requiresSecureTransport = true
            switch tokens.tokenType.lowercased() {
            case "bearer":
                try request.attach(authorization: "Bearer \(tokens.accessToken)")
                return try await next(request)
            case "dpop": return try await sendWithProof(request, tokens, next)
            default: throw unusable("tokens of the type \(tokens.tokenType.prefix(32)) cannot be sent")
            }
        } catch {
            throw .network(NetworkError(wrapping: error, reason: "the request could not be authorized"))
        }
    }

    private func sendWithProof(
        _ request: HttpRequest,
        _ tokens: OAuthTokens,
        _ next: Next
    ) async throws -> HttpResponse {
        guard let key = tokens.proofKey else {
            throw unusable("the tokens are bound to a key (DPoP) that is not stored with them")
        }
        let maker = ProofMaker(key: key, nonces: nonces, now: session.now)
        let isReplayable = request.body.isReplayable
        let first = next.discarding { isReplayable && $0.requiresNonce }
        let response = try await send(request, tokens, maker, first)
        guard response.requiresNonce, isReplayable else { return response }
        await response.discard()
        return try await send(request, tokens, maker, next)
    }

    private func send(
        _ request: HttpRequest,
        _ tokens: OAuthTokens,
        _ maker: ProofMaker,
        _ next: Next
    ) async throws -> HttpResponse {
        var request = request
        let url = try request.fullURL()
        let method = request.getMethod().rawValue
        let proof = try maker.proof(method: method, url: url, accessToken: tokens.accessToken)
        request.setHeader(name: "DPoP", value: proof, isSensitive: true)
        try request.attach(authorization: "DPoP \(tokens.accessToken)")
        let response = try await next(request)
        nonces.remember(response.headers["DPoP-Nonce"]?.first, from: url)
        return response
    }

    private func unusable(_ reason: String) -> NetworkError {
        .invalidRequest(NetworkFailure(reason, advice: "log in again"))
    }
}

extension OAuthSessionError {
    /// A Boolean value that indicates whether the user has not logged in, or the login has ended.
    fileprivate var meansSignedOut: Bool {
        switch self {
        case .notLoggedIn, .expired, .ended, .responseLost: true
        case .refused, .network, .store, .otherClient: false
        }
    }
}

extension HttpResponse {
    /// A Boolean value that indicates whether the server refused the request because its proof needs the nonce of this response
    /// (RFC 9449, section 9).
    fileprivate var requiresNonce: Bool {
        guard status == .unauthorized, headers["DPoP-Nonce"]?.first != nil else { return false }
        return AuthenticationChallenge.requiresNonce(in: headers["WWW-Authenticate"] ?? [])
    }

    fileprivate var demandsStepUp: Bool {
        AuthenticationChallenge.all(in: headers["WWW-Authenticate"] ?? []).contains(where: \.demandsStepUp)
    }
}

extension OAuthAuthentication: CustomStringConvertible, CustomReflectable {
    /// The origins, without any token.
    public var description: String { "tokens for \((try? origins.get())?.description ?? "no valid origin")" }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["oauth": description], displayStyle: .struct) }
}

extension Interceptor where Self == OAuthAuthentication {
    /// Returns an interceptor that adds the tokens of a session; see ``OAuthAuthentication``.
    ///
    /// - Parameters:
    ///   - session: The session that provides the tokens.
    ///   - origins: The URLs of the servers that may receive them, such as `https://api.example.com`.
    ///   - whenSignedOut: The treatment of requests if there is no token.
    public static func oauth(
        _ session: OAuthSession,
        for origins: String...,
        whenSignedOut: OAuthAuthentication.SignedOutPolicy = .fail
    ) -> Self {
        OAuthAuthentication(session, for: origins, whenSignedOut: whenSignedOut)
    }
}

extension HttpClient {
    /// Creates a client that shares this client's connections and configuration, and adds a session's token to its requests.
    ///
    /// Closing this client also closes the new one; closing the new one leaves this client open. See ``OAuthAuthentication``
    /// for the behavior of the new client.
    ///
    /// ```swift
    /// let api = client.authorized(by: session, for: "https://api.example.com")
    /// let response = try await api.request { request in request.url = "https://api.example.com/me" }
    /// ```
    ///
    /// - Parameters:
    ///   - session: The session that provides the tokens.
    ///   - origins: The URLs of the servers that may receive them; at least one.
    ///   - whenSignedOut: The treatment of requests if there is no token.
    public func authorized(
        by session: OAuthSession,
        for origins: String...,
        whenSignedOut: OAuthAuthentication.SignedOutPolicy = .fail
    ) -> HttpClient {
        authorized(by: session, for: origins, whenSignedOut: whenSignedOut)
    }

    /// Creates a client that sends a session's token with its requests; see
    /// ``authorized(by:for:whenSignedOut:)-(_,String...,_)``.
    public func authorized(
        by session: OAuthSession,
        for origins: [String],
        whenSignedOut: OAuthAuthentication.SignedOutPolicy = .fail
    ) -> HttpClient {
        authorized(by: OAuthAuthentication(session, for: origins, whenSignedOut: whenSignedOut))
    }

    /// Creates a client that sends a session's token with its requests; see
    /// ``authorized(by:for:whenSignedOut:)-(_,String...,_)``.
    public func authorized(
        by session: OAuthSession,
        for origins: OriginSet,
        whenSignedOut: OAuthAuthentication.SignedOutPolicy = .fail
    ) -> HttpClient {
        authorized(by: OAuthAuthentication(session, for: origins, whenSignedOut: whenSignedOut))
    }

    private func authorized(by authentication: OAuthAuthentication) -> HttpClient {
        derived { configuration in configuration.authentication.insert(authentication, at: 0) }
    }
}
