import Foundation
import Sallyport
import SallyportJOSE

/// Sends the access token of a session with every request to the origins that it is meant for (RFC 6750, RFC 9449).
///
/// A token of the type `DPoP` goes with a proof made for each request, with the nonce that the server wants. A 401 has the
/// tokens refreshed once, and the request is sent once more if its body can be; that which can be sent only once comes
/// back as the 401 it is, and the next call has new tokens. Nothing is sent to other origins, redirects included, and an
/// `Authorization` header that the app set itself is left as it is. Requests that carry their own credentials
/// (`HttpRequest.carriesOwnCredentials`), as those of an ``OAuthClient`` do, and all requests within a refresh receive no token,
/// so the client that refreshes may be an authorized one.
///
/// ```swift
/// config.authentication = [.oauth(session, for: "https://api.example.com")]
/// ```
public struct OAuthAuthentication: Interceptor {
    private let session: OAuthSession
    private let origins: Result<OriginSet, NetworkError>
    private let nonces = ProofNonces()

    /// Creates an interceptor that authenticates requests to a set of origins.
    ///
    /// If an origin uses plain `http` and its host is neither a loopback address nor `localhost`, every call fails with
    /// `NetworkError.invalidRequest` before anything is sent. So does a call over plain `http` that would go through a proxy.
    ///
    /// - Parameters:
    ///   - session: The session that provides the tokens.
    ///   - origins: The origins that may receive the tokens.
    public init(_ session: OAuthSession, for origins: OriginSet) {
        self.init(session, origins: .success(origins))
    }

    /// Creates an interceptor that authenticates requests to the origins of some URLs.
    ///
    /// An invalid origin makes every call fail with `NetworkError.invalidRequest`, as an insecure one does; see
    /// ``init(_:for:)-(_,OriginSet)``.
    ///
    /// - Parameters:
    ///   - session: The session that provides the tokens.
    ///   - origins: At least one `https` URL. Paths and queries are ignored.
    public init(_ session: OAuthSession, for origins: [String]) {
        self.init(session, origins: Result { () throws(NetworkError) in try OriginSet(origins) })
    }

    private init(_ session: OAuthSession, origins: Result<OriginSet, NetworkError>) {
        self.session = session
        self.origins = origins.flatMap { origins in
            let insecure = origins.first { EndpointAddress.problem(with: $0) != nil }
            return insecure.map { .failure(.invalidRequest(Self.notSecure($0))) } ?? .success(origins)
        }
    }

    /// Sends the request with a token, and once more with a new one if the server rejects it.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let origins = try origins.get()
        guard request.getHeader(name: "Authorization") == nil, origins.contains(request),
            !request.carriesOwnCredentials, !session.isRefreshedHere
        else { return try await next(request) }
        do throws(OAuthSessionError) {
            return try await send(request, next)
        } catch {
            throw error.networkError
        }
    }

    private func send(_ request: HttpRequest, _ next: Next) async throws(OAuthSessionError) -> HttpResponse {
        let tokens = try await tokens(for: request, next)
        let response = try await send(request, with: tokens, next)
        guard response.status == .unauthorized, !response.wantsNonce, session.refresher.canRefresh(tokens) else {
            return response
        }
        guard request.body.isReplayable else {
            session.reject(tokens)
            return response
        }
        // Its connection may be the one that the refresh needs.
        await response.discard()
        return try await send(request, with: self.tokens(replacing: tokens, for: request, next), next)
    }

    /// Waits for tokens, but not beyond the call's time.
    private func tokens(
        replacing rejected: OAuthTokens? = nil,
        for request: HttpRequest,
        _ next: Next
    ) async throws(OAuthSessionError) -> OAuthTokens {
        try await session.tokens(replacing: rejected) {
            do throws(NetworkError) {
                try await next.wait(for: next.timeLeft(for: request) ?? .seconds(86_400))
                return .network(.timeout(Self.late))
            } catch {
                return .network(error)
            }
        }
    }

    private static let late = NetworkFailure(
        "the time for the whole call was over before there were tokens for it",
        advice: "a refresh under way goes on; call again, or raise the timeout"
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
        guard let key = tokens.proofKey else { throw unusable("the tokens are bound to a key (DPoP) that is not kept") }
        let maker = ProofMaker(key: key, nonces: nonces, now: session.now)
        let response = try await send(request, tokens, maker, next)
        guard response.wantsNonce, request.body.isReplayable else { return response }
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
        let proof = try await maker.proof(method: method, url: url, accessToken: tokens.accessToken)
        request.setHeader(name: "DPoP", value: proof, isSensitive: true)
        try request.attach(authorization: "DPoP \(tokens.accessToken)")
        let response = try await next(request)
        nonces.remember(response.headers["DPoP-Nonce"]?.first, from: url)
        return response
    }

    private func unusable(_ reason: String) -> NetworkError {
        .invalidRequest(NetworkFailure(reason, advice: "log in again"))
    }

    private static func notSecure(_ origin: String) -> NetworkFailure {
        NetworkFailure("tokens cannot be sent to \(origin), as others could read them there", advice: "use https")
    }
}

extension HttpResponse {
    /// Whether the server refused a proof only for the nonce in it (RFC 9449, section 9).
    fileprivate var wantsNonce: Bool {
        guard status == .unauthorized, headers["DPoP-Nonce"]?.first != nil else { return false }
        return AuthenticationChallenge.requiresNonce(in: headers["WWW-Authenticate"] ?? [])
    }
}

extension OAuthAuthentication: CustomStringConvertible, CustomReflectable {
    /// The origins, without any token.
    public var description: String { "tokens for \((try? origins.get())?.description ?? "no valid origin")" }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["oauth": description], displayStyle: .struct) }
}

extension Interceptor where Self == OAuthAuthentication {
    /// The tokens of a session; see ``OAuthAuthentication``.
    ///
    /// - Parameters:
    ///   - session: Has the tokens.
    ///   - origins: URLs of the servers that may see them, such as `https://api.example.com`.
    public static func oauth(_ session: OAuthSession, for origins: String...) -> Self {
        OAuthAuthentication(session, for: origins)
    }
}
