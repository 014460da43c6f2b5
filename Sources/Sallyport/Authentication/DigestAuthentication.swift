import HTTPTypes
import SallyportTransport

/// An interceptor that answers the challenges of certain origins with a proof that it knows a password (Digest authentication,
/// RFC 7616).
///
/// MD5, SHA-256 and SHA-512-256, each also as a `-sess` variant, the protections `auth` and `auth-int`, and servers of RFC 2069 are
/// supported, as are challenges with an empty `qop` or without a realm. Among several challenges, one without MD5 is answered.
/// After the first challenge, further requests carry a proof without being challenged. If the server rejects the password, the
/// caller receives the 401 response; a challenge because of a stale nonce is answered once more. Challenges of other origins are not
/// answered, not even after a redirect. An `Authorization` header that the app sets itself is not replaced.
///
/// ```swift
/// config.authentication = [.digest(user: "ada", password: password, for: "https://api.example.com")]
/// ```
///
/// Until the server has sent a challenge, a request may need to be sent twice. Its body must therefore be replayable.
public struct DigestAuthentication: Interceptor {
    private let credentials: Credentials
    private let makeClientNonce: @Sendable () -> String
    private let sessions = DigestSessions()

    /// Creates an interceptor that authenticates requests to a set of origins.
    ///
    /// A control character in the user name or password makes every call fail with ``NetworkError/invalidRequest(_:)`` before
    /// anything is sent.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password, which is never sent.
    ///   - origins: The origins whose challenges are answered.
    public init(user: String, password: String, for origins: OriginSet) {
        self.init(user: user, password: password, origins: .success(origins), makeClientNonce: Self.randomNonce)
    }

    /// Creates an interceptor that authenticates requests to the origins of some URLs.
    ///
    /// An invalid origin makes every call fail with ``NetworkError/invalidRequest(_:)``, as invalid credentials do; see
    /// ``init(user:password:for:)-(_,_,OriginSet)``.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password, which is never sent.
    ///   - origins: At least one `http` or `https` URL. Paths and queries are ignored.
    public init(user: String, password: String, for origins: [String]) {
        self.init(user: user, password: password, for: origins, makeClientNonce: Self.randomNonce)
    }

    /// Creates an interceptor with a source of client nonces. Each session uses one nonce.
    init(user: String, password: String, for origins: [String], makeClientNonce: @escaping @Sendable () -> String) {
        let origins = Result { () throws(NetworkError) in try OriginSet(origins) }
        self.init(user: user, password: password, origins: origins, makeClientNonce: makeClientNonce)
    }

    private init(
        user: String,
        password: String,
        origins: Result<OriginSet, NetworkError>,
        makeClientNonce: @escaping @Sendable () -> String
    ) {
        credentials = Credentials(user: user, password: password, origins: origins, isColonAllowed: true)
        self.makeClientNonce = makeClientNonce
    }

    private static let randomNonce: @Sendable () -> String = {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Sends the request, and sends it again with a proof if the server answers with a challenge.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let target = try credentials.target(of: request) else { return try await next(request) }
        var session = sessions.next(for: target)
        if session == nil, !request.body.isReplayable { throw bodyNotReplayable }
        let first = next.discarding { Self.challenge(in: $0) != nil }
        var response = try await send(request, to: target, with: session, first)
        var answers = 0
        while let challenge = Self.challenge(in: response, after: answers) {
            if !request.body.isReplayable { throw bodyNotReplayable }
            answers += 1
            let fresh = DigestSession(challenge, for: credentials, at: target, clientNonce: makeClientNonce())
            _ = try fresh.protection(of: request.body)
            await response.discard()
            let started = sessions.start(fresh)
            session = started
            let count = answers
            let next = next.discarding { Self.challenge(in: $0, after: count) != nil }
            response = try await send(request, to: target, with: started, next)
        }
        if let session { try update(session, with: response, to: request, at: target) }
        return response
    }

    /// Returns the challenge of a response; `nil` if it is not answered.
    ///
    /// - Parameter answers: The number of answers that have been sent.
    private static func challenge(in response: HttpResponse, after answers: Int = 0) -> DigestChallenge? {
        guard let challenge = DigestChallenge.strongest(in: response) else { return nil }
        return answers < (challenge.isStale ? 2 : 1) ? challenge : nil
    }

    private func send(
        _ request: HttpRequest,
        to target: RequestTarget,
        with session: DigestSession?,
        _ next: Next
    ) async throws(NetworkError) -> HttpResponse {
        var request = request
        if let session {
            request.attach(authorization: try session.authorization(for: request, to: target), for: target)
        }
        return try await next(request)
    }

    /// Updates or ends the session, depending on the response, and checks the server's proof that it knows the password.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` if the proof is wrong.
    private func update(
        _ session: DigestSession,
        with response: HttpResponse,
        to request: HttpRequest,
        at target: RequestTarget
    ) throws(NetworkError) {
        if response.status == .unauthorized { return sessions.end(session) }
        let info = DigestInfo(response)
        if !info.isValid(with: session, on: response, to: request, at: target) {
            sessions.end(session)
            response.bodyStream.cancel()
            throw .invalidResponse(
                NetworkFailure(
                    "the server's proof that it knows the password (rspauth) is wrong",
                    advice: "it may be another server than it claims to be; send it no confidential data"
                )
            )
        }
        if let nonce = info.nextNonce { sessions.renew(session, nonce: nonce) }
    }

    private var bodyNotReplayable: NetworkError {
        .invalidRequest(
            NetworkFailure(
                "Digest authentication has to send the request again, but its body can be sent only once",
                advice: SettingAdvice.replayableBody.rawValue
            )
        )
    }
}

extension DigestAuthentication: CustomStringConvertible, CustomReflectable {
    /// The scheme and the origins, without the user name and the password.
    public var description: String { "Digest \(credentials)" }

    /// A mirror that shows the ``description`` only, so that `dump` reveals no secret.
    public var customMirror: Mirror { Mirror(self, children: ["digest": description], displayStyle: .struct) }
}

extension Interceptor where Self == DigestAuthentication {
    /// Returns an interceptor for Digest authentication; see ``DigestAuthentication``.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - origins: URLs of the servers whose challenges are answered, such as `https://api.example.com`.
    public static func digest(user: String, password: String, for origins: String...) -> Self {
        DigestAuthentication(user: user, password: password, for: origins)
    }
}
