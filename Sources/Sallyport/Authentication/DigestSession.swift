import HTTPTypes
import SallyportTransport

/// What has been agreed with a server by one challenge: it serves many requests, each with a count of its own.
struct DigestSession: Sendable {
    let challenge: DigestChallenge
    /// Where the challenge came from.
    let origin: String
    /// The server's number for these requests; it may be replaced without a new challenge.
    var nonce: String
    /// How many requests have been made with the nonce.
    var count: UInt32 = 0

    private let user: String
    private let clientNonce: String
    /// The hash of name, realm and password, which is worth as much as the password here.
    private let secret: String
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

    /// Whether a request to there is likely to be asked for the same credentials.
    func covers(_ target: RequestTarget) -> Bool {
        prefixes.contains { target.url.hasPrefix($0) }
    }

    /// Whether both are about the same part of the same server.
    func isSameSpace(as other: DigestSession) -> Bool {
        origin == other.origin && challenge.realm == other.challenge.realm
    }

    /// The protection to give a request with such a body: that of the body only where the server insists.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the server insists and the body cannot be read beforehand.
    func protection(of body: RequestBody) throws(NetworkError) -> DigestChallenge.Protection? {
        let offered = challenge.protections
        if offered.isEmpty { return nil }
        if offered.contains(.request) { return .request }
        guard case .stream = body else { return .requestAndBody }
        throw .invalidRequest(
            NetworkFailure(
                "the server wants a proof of the body (qop=auth-int), and a stream cannot be read before it is sent",
                advice: SettingAdvice.readableBody.rawValue
            )
        )
    }

    /// The value of `Authorization` for a request.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if its body cannot be read.
    func authorization(for request: HttpRequest, to target: RequestTarget) throws(NetworkError) -> String {
        let algorithm = challenge.algorithm
        let protection = try protection(of: request.body)
        var message = "\(request.getMethod().rawValue):\(target.path)"
        if protection == .requestAndBody { message += ":" + (try request.body.hash(by: algorithm)) }
        var fields = userFields + [("realm", quoted(challenge.realm)), ("uri", quoted(target.path))]
        if challenge.namesAlgorithm { fields.append(("algorithm", algorithm.name)) }
        fields.append(("nonce", quoted(nonce)))
        if let protection {
            fields += [("nc", countText), ("cnonce", quoted(clientNonce)), ("qop", protection.rawValue)]
        } else if algorithm.isSession {
            fields.append(("cnonce", quoted(clientNonce)))
        }
        fields.append(("response", quoted(proof(of: message, protection))))
        if let opaque = challenge.opaque { fields.append(("opaque", quoted(opaque))) }
        return "Digest " + fields.map { "\($0)=\($1)" }.joined(separator: ", ")
    }

    /// The proof that the password is known, for a message of either side (RFC 7616, sections 3.4.1 and 3.5).
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
            return [("username", quoted(hash)), ("userhash", "true")]
        }
        if challenge.isUtf8, !user.utf8.allSatisfy({ $0 < 0x80 }) {
            return [("username*", "UTF-8''\(PercentEncoding.query(user))")]
        }
        return [("username", quoted(user))]
    }
}

private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}

extension DigestAlgorithm {
    /// As it stands in a header.
    fileprivate var name: String { (function == .md5 ? "MD5" : "SHA-256") + (isSession ? "-sess" : "") }
}
