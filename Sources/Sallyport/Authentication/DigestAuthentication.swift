import HTTPTypes
import SallyportTransport

/// Digest authentication (RFC 7616): the server asks, and is given a proof that the password is known.
///
/// MD5 and SHA-256, each also as `-sess`, and `auth` and `auth-int` are supported, and servers of RFC 2069. Once a
/// server has asked, the requests that follow bring their proof along. A wrong password is a 401, given to the caller;
/// a nonce that was too old is answered once more. Only the origins that the credentials belong to are answered,
/// redirects included, and an `Authorization` header that the app set itself is left as it is.
///
/// ```swift
/// config.authentication = [.digest(user: "ada", password: password, for: "https://api.example.com")]
/// ```
///
/// As the request may have to be sent again, its body has to be replayable while no server has asked yet.
public struct DigestAuthentication: Interceptor {
    private let credentials: Credentials
    private let makeClientNonce: @Sendable () -> String
    private let sessions = DigestSessions()

    /// Makes the credentials for some origins.
    ///
    /// Control characters, or no valid origin, fail every call with ``NetworkError/invalidRequest(_:)`` before anything
    /// is sent.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - password: The password, which is never sent.
    ///   - origins: `http` and `https` URLs, of which only scheme, host and port matter.
    public init(user: String, password: String, for origins: [String]) {
        self.init(user: user, password: password, for: origins) {
            String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
        }
    }

    /// - Parameter makeClientNonce: Makes the client's number for each session.
    init(user: String, password: String, for origins: [String], makeClientNonce: @escaping @Sendable () -> String) {
        credentials = Credentials(user: user, password: password, origins: origins, isColonAllowed: true)
        self.makeClientNonce = makeClientNonce
    }

    /// Sends the request, and once more with a proof if the server asks for one.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard let target = try credentials.target(of: request) else { return try await next(request) }
        var session = sessions.next(for: target)
        if session == nil, !request.body.isReplayable { throw onlyOnce }
        var response = try await send(request, to: target, with: session, next)
        var answers = 0
        while let challenge = DigestChallenge.strongest(in: response), answers < (challenge.isStale ? 2 : 1) {
            if !request.body.isReplayable { throw onlyOnce }
            answers += 1
            let fresh = DigestSession(challenge, for: credentials, at: target, clientNonce: makeClientNonce())
            _ = try fresh.protection(of: request.body)
            await response.discard()
            let begun = sessions.begin(fresh)
            session = begun
            response = try await send(request, to: target, with: begun, next)
        }
        if let session { try conclude(session, with: response, to: request, at: target) }
        return response
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

    /// Learns from the response whether the session goes on, and whether the server knows the password too.
    private func conclude(
        _ session: DigestSession,
        with response: HttpResponse,
        to request: HttpRequest,
        at target: RequestTarget
    ) throws(NetworkError) {
        if response.status == .unauthorized { return sessions.end(session) }
        let info = DigestInfo(response)
        if !info.agrees(with: session, on: response, to: request, at: target) {
            sessions.end(session)
            response.bodyStream.cancel()
            throw .invalidResponse(
                NetworkFailure(
                    "the server's own proof that it knows the password (rspauth) is wrong",
                    advice: "it may not be the server that it says it is; do not send it anything of value"
                )
            )
        }
        if let nonce = info.nextNonce { sessions.renew(session, nonce: nonce) }
    }

    private var onlyOnce: NetworkError {
        .invalidRequest(
            NetworkFailure(
                "Digest authentication has to send the request again, whose body can be sent only once",
                advice: SettingAdvice.replayableBody.rawValue
            )
        )
    }
}

extension DigestAuthentication: CustomStringConvertible, CustomReflectable {
    /// The kind and the origins, without name and password.
    public var description: String { "Digest \(credentials)" }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["digest": description], displayStyle: .struct) }
}
