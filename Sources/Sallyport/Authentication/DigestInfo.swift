import HTTPTypes

/// The `Authentication-Info` field of the response to an accepted request (RFC 7616, section 3.5).
struct DigestInfo {
    /// The nonce for the next request, if the server has replaced it.
    let nextNonce: String?

    private let proof: String?
    private let protection: String?

    init(_ response: HttpResponse) {
        let text = response.headers.fields[.authenticationInfo] ?? ""
        let parameters = AuthenticationChallenge.parameters(inInfo: text)
        nextNonce = parameters["nextnonce"]
        proof = parameters["rspauth"]?.lowercased()
        protection = parameters["qop"]?.lowercased()
    }

    /// Returns `false` if the response contains an invalid proof that the server knows the password.
    ///
    /// A proof that includes the body is checked only if the body is in memory as it was received.
    func isValid(
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

    /// Compares texts in a time that does not depend on the position of a difference.
    private func isSame(_ first: String, _ second: String) -> Bool {
        first.utf8.count == second.utf8.count && zip(first.utf8, second.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
