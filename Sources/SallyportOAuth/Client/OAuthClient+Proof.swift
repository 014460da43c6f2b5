import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Sends a request with a proof, once more with the server's nonce if it asks for one (RFC 9449, section 8).
    ///
    /// - Parameters:
    ///   - key: The key whose possession is proved; without one there is neither proof nor second time.
    ///   - url: Where to.
    ///   - send: Makes and sends the request with what it is given to make the proof.
    func proving(
        _ key: SigningKey?,
        to url: String,
        _ send: (ProofMaker?) async throws -> ServerAnswer
    ) async throws -> ServerAnswer {
        guard let key else { return try await send(nil) }
        let maker = ProofMaker(key: key, nonces: nonces, now: clock.now)
        let sent = nonces.nonce(for: url)
        let answer = try await send(maker)
        nonces.remember(answer.proofNonce, from: url)
        // Not what was known before the answer, as another task may have been told the same nonce meanwhile.
        guard answer.asksForNonce, let wanted = nonces.nonce(for: url), wanted != sent else { return answer }
        let second = try await send(maker)
        nonces.remember(second.proofNonce, from: url)
        return second
    }

    /// Adds a proof to a request, if there is something to make it with.
    func addProof(
        of maker: ProofMaker?,
        to request: inout HttpRequest,
        url: String,
        accessToken: String? = nil
    ) async throws {
        guard let maker else { return }
        let method = request.getMethod().rawValue
        let proof = try await refusing("the key for proofs to") {
            try await maker.proof(method: method, url: url, accessToken: accessToken)
        }
        request.setHeader(name: "DPoP", value: proof, isSensitive: true)
        server.neverRepeat(&request)
    }
}

extension ServerAnswer {
    fileprivate var proofNonce: String? { headers["DPoP-Nonce"]?.first }

    /// Whether it was refused only for want of the nonce that it brings.
    fileprivate var asksForNonce: Bool {
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
