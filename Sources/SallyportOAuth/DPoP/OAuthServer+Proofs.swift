import Sallyport
import SallyportJOSE

extension OAuthServer {
    /// Sends a request with a proof, and again with the server's nonce if the server requires one (RFC 9449, section 8).
    ///
    /// - Parameters:
    ///   - key: The key for the proof; `nil` to send the request once, without a proof.
    ///   - url: The URL of the request.
    ///   - send: A closure that creates and sends the request. Its parameter makes the proof; it is `nil` without a key.
    func sendWithProof(
        by key: SigningKey?,
        to url: String,
        _ send: (ProofMaker?) async throws -> OAuthResponse
    ) async throws -> OAuthResponse {
        guard let key else { return try await send(nil) }
        let maker = ProofMaker(key: key, nonces: nonces, now: clock.date)
        let sent = nonces.nonce(for: url)
        let response = try await send(maker)
        nonces.remember(response.proofNonce, from: url)
        // The nonce is compared with the one that was sent, because another task may already have stored the new one.
        guard response.requiresNonce, let required = nonces.nonce(for: url), required != sent else { return response }
        let second = try await send(maker)
        nonces.remember(second.proofNonce, from: url)
        return second
    }

    /// Adds a proof to a request if there is a maker.
    func addProof(
        by maker: ProofMaker?,
        to request: inout HttpRequest,
        url: String,
        accessToken: String? = nil
    ) async throws {
        guard let maker else { return }
        let method = request.getMethod().rawValue
        let proof = try await convertingErrors(of: "the key for proofs to") {
            try maker.proof(method: method, url: url, accessToken: accessToken)
        }
        request.setHeader(name: "DPoP", value: proof, isSensitive: true)
        disableRetries(of: &request)
    }
}

extension OAuthResponse {
    fileprivate var proofNonce: String? { headers["DPoP-Nonce"]?.first }

    /// A Boolean value that indicates whether the server refused the request because its proof needs the nonce of this response.
    fileprivate var requiresNonce: Bool {
        guard status == .badRequest || status == .unauthorized else { return false }
        if object?["error"]?.string == "use_dpop_nonce" { return true }
        return AuthenticationChallenge.requiresNonce(in: headers["WWW-Authenticate"] ?? [])
    }
}

extension AuthenticationChallenge {
    /// Returns a Boolean value that indicates whether a challenge requires a proof with the server's nonce (RFC 9449, sections 8
    /// and 9).
    static func requiresNonce(in fields: [String]) -> Bool {
        all(in: fields).contains { $0.scheme == "dpop" && $0.parameters["error"] == "use_dpop_nonce" }
    }
}
