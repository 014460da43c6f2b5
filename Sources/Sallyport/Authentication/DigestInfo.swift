import HTTPTypes

/// What a server says of a request that it has accepted: `Authentication-Info` (RFC 7616, section 3.5).
struct DigestInfo {
    /// The nonce for the next request, if it is to be another.
    let nextNonce: String?

    private let proof: String?
    private let protection: String?

    init(_ response: HttpResponse) {
        let text = response.headers.fields[.authenticationInfo] ?? ""
        var scanner = AuthenticationScanner(text.utf8.count > 16_384 ? "" : text)
        let parameters = scanner.parameters() ?? [:]
        nextNonce = parameters["nextnonce"]
        proof = parameters["rspauth"]?.lowercased()
        protection = parameters["qop"]?.lowercased()
    }

    /// Whether the server's proof is that of one who knows the password, if it gives one that can be checked.
    ///
    /// A proof of the body can be checked only where the body is in memory as it came.
    func agrees(
        with session: DigestSession,
        on response: HttpResponse,
        to request: HttpRequest,
        at target: RequestTarget
    ) -> Bool {
        let sent = (try? session.protection(of: request.body)) ?? nil
        guard let proof, let sent else { return true }
        var message = ":\(target.path)"
        let protection = DigestChallenge.Protection(rawValue: protection ?? sent.rawValue)
        if protection == .requestAndBody {
            guard let body = response.body, response.headers.fields[.contentLength] != nil else { return true }
            message += ":" + session.challenge.algorithm.hash { update in update(body) }
        }
        return isSame(proof, session.proof(of: message, protection ?? sent))
    }

    /// Compares texts, which takes the same time wherever they differ.
    private func isSame(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count && zip(first.utf8, second.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
