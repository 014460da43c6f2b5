import Foundation
import Sallyport
import SallyportJOSE

extension OAuthClient {
    /// Sends a request with a proof, once more with the server's nonce if it asks for one (RFC 9449, section 8).
    ///
    /// - Parameters:
    ///   - key: The key whose possession is proved; without one there is neither proof nor second time.
    ///   - store: Where the nonces are kept; else those of the token endpoint.
    ///   - send: Makes and sends the request with the nonce it is given.
    func proving(
        _ key: SigningKey?,
        with store: ServerNonces? = nil,
        _ send: (_ nonce: String?) async throws -> ServerAnswer
    ) async throws -> ServerAnswer {
        let nonces = store ?? nonces
        let answer = try await send(key == nil ? nil : nonces.nonce)
        guard key != nil, let nonce = answer.headers["DPoP-Nonce"]?.first, nonces.isUsable(nonce) else { return answer }
        nonces.nonce = nonce
        guard answer.asksForNonce else { return answer }
        let second = try await send(nonce)
        if let next = second.headers["DPoP-Nonce"]?.first, nonces.isUsable(next) { nonces.nonce = next }
        return second
    }

    /// Adds the proof of a key to a request.
    func addProof(
        of key: SigningKey?,
        to request: inout HttpRequest,
        url: String,
        nonce: String?,
        accessToken: String? = nil
    ) async throws {
        guard let key else { return }
        let proof = try await Proof.make(
            key: key,
            method: request.getMethod().rawValue,
            url: url,
            nonce: nonce,
            accessToken: accessToken,
            at: clock.now()
        )
        request.setHeader(name: "DPoP", value: proof, isSensitive: true)
    }
}

extension ServerAnswer {
    /// Whether it was refused only for want of the nonce that it brings.
    fileprivate var asksForNonce: Bool {
        guard status == .badRequest || status == .unauthorized else { return false }
        if object?["error"]?.string == "use_dpop_nonce" { return true }
        let challenges = headers["WWW-Authenticate"] ?? []
        return challenges.contains { $0.contains("use_dpop_nonce") }
    }
}

/// The nonce that a server wants in the next proof.
final class ServerNonces: Sendable {
    private let kept = Locked<String?>(nil)

    var nonce: String? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }

    /// What RFC 9449, section 8.1 allows, of a size that can be sent back.
    func isUsable(_ nonce: String) -> Bool {
        (1...1024).contains(nonce.utf8.count) && nonce.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
