import HTTPTypes
import SallyportStorage
import SallyportTransport

/// The state that follows from one challenge of a server. It authenticates any number of requests, each with its own nonce count.
struct DigestSession: Sendable {
    let challenge: DigestChallenge
    /// The origin of the server that sent the challenge.
    let origin: String
    /// The server's nonce for these requests. The server may replace it without a new challenge.
    var nonce: String
    /// The number of requests that were sent with the nonce (`nc`).
    var count: UInt32 = 0

    private let user: String
    private let clientNonce: String
    /// The hash of user name, realm and password. It is as confidential as the password, because it suffices to authenticate to the
    /// realm.
    private let secret: String
    /// The prefixes of the URLs in the protection space.
    private let prefixes: [String]

    init(_ challenge: DigestChallenge, for credentials: Credentials, at target: RequestTarget, clientNonce: String) {
        self.challenge = challenge
        self.clientNonce = clientNonce
        origin = target.origin
        nonce = challenge.nonce
        user = credentials.user
        let algorithm = challenge.algorithm
        let hash = algorithm.hash(user, challenge.realm, credentials.password)
        secret = algorithm.isSession ? algorithm.hash(hash, challenge.nonce, clientNonce) : hash
        let urls = challenge.domain.compactMap { RequestTarget.resolved($0, against: target.url) }
        let prefixes = urls.compactMap { try? RequestTarget(url: $0).url }
        self.prefixes = prefixes.isEmpty ? [origin + "/"] : prefixes
    }

    /// Returns a Boolean value that indicates whether a target is in the protection space of the challenge.
    func covers(_ target: RequestTarget) -> Bool {
        prefixes.contains { target.url.hasPrefix($0) }
    }

    /// Returns a Boolean value that indicates whether both sessions belong to the same realm of the same server.
    func isSameSpace(as other: DigestSession) -> Bool {
        origin == other.origin && challenge.realm == other.challenge.realm
    }

    /// Returns the protection for a request with a body. The body is included only if the server offers nothing else.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the server requires it and the body cannot be read in advance.
    func protection(of body: RequestBody) throws(NetworkError) -> DigestChallenge.Protection? {
        let offered = challenge.protections
        if offered.isEmpty { return nil }
        if offered.contains(.request) { return .request }
        guard case .stream = body else { return .requestAndBody }
        throw .invalidRequest(
            NetworkFailure(
                "the server requires a proof of the body (qop=auth-int), and a stream cannot be read before it is sent",
                advice: SettingAdvice.readableBody.rawValue
            )
        )
    }

    /// Returns the value of the `Authorization` field for a request.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the body cannot be read.
    func authorization(for request: HttpRequest, to target: RequestTarget) throws(NetworkError) -> String {
        let algorithm = challenge.algorithm
        let protection = try protection(of: request.body)
        var message = "\(request.getMethod().rawValue):\(target.path)"
        if protection == .requestAndBody { message += ":" + (try request.body.hash(by: algorithm)) }
        var fields = userFields + [("realm", Self.quoted(challenge.realm)), ("uri", Self.quoted(target.path))]
        if challenge.namesAlgorithm { fields.append(("algorithm", algorithm.name)) }
        fields.append(("nonce", Self.quoted(nonce)))
        if let protection {
            fields += [("nc", countText), ("cnonce", Self.quoted(clientNonce)), ("qop", protection.rawValue)]
        } else if algorithm.isSession {
            fields.append(("cnonce", Self.quoted(clientNonce)))
        }
        fields.append(("response", Self.quoted(proof(of: message, protection))))
        if let opaque = challenge.opaque { fields.append(("opaque", Self.quoted(opaque))) }
        return "Digest " + fields.map { "\($0)=\($1)" }.joined(separator: ", ")
    }

    /// Returns the proof of knowledge of the password for a message, of the client or the server (RFC 7616, sections 3.4.1 and 3.5).
    func proof(of message: String, _ protection: DigestChallenge.Protection?) -> String {
        let algorithm = challenge.algorithm
        let messageHash = algorithm.hash(message)
        guard let protection else { return algorithm.hash(secret, nonce, messageHash) }
        return algorithm.hash(secret, nonce, countText, clientNonce, protection.rawValue, messageHash)
    }

    private var countText: String {
        let digits = String(count, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    private var userFields: [(String, String)] {
        if challenge.hashesUser {
            let hash = challenge.algorithm.hash(user, challenge.realm)
            return [("username", Self.quoted(hash)), ("userhash", "true")]
        }
        if challenge.isUtf8, !user.utf8.allSatisfy({ $0 < 0x80 }) {
            return [("username*", "UTF-8''\(PercentEncoding.query(user))")]
        }
        return [("username", Self.quoted(user))]
    }

    /// Returns a text as a quoted string (RFC 9110, section 5.6.4).
    static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// The sessions of one pair of credentials with its servers, the most recent first.
final class DigestSessions: Sendable {
    private static let maximumCount = 32

    private let sessions = Locked<[DigestSession]>([])

    /// Counts a request to a target in the session that covers it, and returns the session; `nil` if there is none yet.
    func next(for target: RequestTarget) -> DigestSession? {
        sessions.withLock { sessions in
            guard let index = sessions.firstIndex(where: { $0.covers(target) && $0.count < .max }) else { return nil }
            sessions[index].count += 1
            return sessions[index]
        }
    }

    /// Replaces the earlier sessions of a realm by a new one, and returns the new one with the count of its first request.
    func start(_ session: DigestSession) -> DigestSession {
        sessions.withLock { sessions in
            sessions.removeAll { $0.isSameSpace(as: session) }
            var session = session
            session.count = 1
            sessions = [session] + sessions.prefix(Self.maximumCount - 1)
            return session
        }
    }

    /// Replaces the nonce of a session, unless another request has already replaced it.
    func renew(_ session: DigestSession, nonce: String) {
        sessions.withLock { sessions in
            guard let index = sessions.firstIndex(where: { $0.isSameSpace(as: session) && $0.nonce == session.nonce })
            else { return }
            sessions[index].nonce = nonce
            sessions[index].count = 0
        }
    }

    /// Removes a session that the server no longer accepts.
    func end(_ session: DigestSession) {
        sessions.withLock { sessions in
            sessions.removeAll { $0.isSameSpace(as: session) && $0.nonce == session.nonce }
        }
    }
}
