import Foundation
import SallyportJOSE

/// Makes the proofs that go with requests (DPoP, RFC 9449), each with the nonce that its server gave last.
///
/// ```swift
/// let proof = try await proofs.proof(method: "GET", url: url, accessToken: tokens.accessToken)
/// request.setHeader(name: "DPoP", value: proof, isSensitive: true)
/// ```
public struct ProofMaker: Sendable {
    /// The key that is proved.
    public let key: SigningKey
    /// The nonces of the servers.
    public let nonces: ProofNonces
    private let now: @Sendable () -> Date

    /// Makes proofs of a key.
    ///
    /// - Parameters:
    ///   - key: The key; HMAC proves nothing.
    ///   - nonces: The nonces of the servers; several makers can share them.
    ///   - now: The time.
    public init(
        key: SigningKey,
        nonces: ProofNonces = ProofNonces(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.key = key
        self.nonces = nonces
        self.now = now
    }

    /// A proof for one request: each is sent once only, a second attempt has its own.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request; its query and fragment are left out.
    ///   - accessToken: The access token that goes with the request, if one does.
    /// - Returns: What goes into the header field `DPoP`.
    public func proof(method: String, url: String, accessToken: String? = nil) async throws(JoseError) -> String {
        try await ProofOfPossession.make(
            with: key,
            method: method,
            url: url,
            accessToken: accessToken,
            nonce: nonces.nonce(for: url),
            at: now()
        )
    }
}
