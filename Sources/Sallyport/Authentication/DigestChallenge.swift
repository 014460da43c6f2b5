/// What a server asks for by Digest authentication (RFC 7616, section 3.3).
struct DigestChallenge {
    /// What the proof covers: `qop`, the quality of protection.
    enum Protection: String {
        /// The method and the target.
        case request = "auth"
        /// The body as well.
        case requestAndBody = "auth-int"
    }

    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// Whether the server named the algorithm; only then is it named to the server.
    let namesAlgorithm: Bool
    /// Empty for a server of RFC 2069, which knows of none.
    let protections: [Protection]
    /// Whether only the nonce was too old.
    let isStale: Bool
    /// Whether the name is sent as a hash.
    let hashesUser: Bool
    /// Whether the server has said that it takes names and passwords in UTF-8.
    let isUtf8: Bool
    /// The URLs that the same credentials are for, some relative; empty for all of the server.
    let domain: [String]

    /// - Returns: `nil` for another scheme, and for one of which something needed is missing or not known.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let realm = parameters["realm"], let nonce = parameters["nonce"],
            let algorithm = DigestAlgorithm(named: parameters["algorithm"])
        else { return nil }
        let names = parameters["qop"]?.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        protections = (names ?? []).compactMap { Protection(rawValue: String($0)) }
        if names != nil, protections.isEmpty { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = parameters["opaque"]
        namesAlgorithm = parameters["algorithm"] != nil
        isStale = parameters["stale"]?.lowercased() == "true"
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        isUtf8 = parameters["charset"]?.lowercased() == "utf-8"
        domain = (parameters["domain"] ?? "").split(separator: " ").prefix(32).map(String.init)
    }

    /// The strongest challenge of a response that can be answered; of several as strong, the first.
    static func strongest(in response: HttpResponse) -> DigestChallenge? {
        guard response.status == .unauthorized else { return nil }
        let challenges = AuthenticationChallenge.all(in: response.headers.fields[values: .wwwAuthenticate])
            .compactMap(DigestChallenge.init)
        let strength = challenges.map(\.algorithm.function.rawValue).max()
        return challenges.first { $0.algorithm.function.rawValue == strength }
    }
}
