import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage

/// Creates proofs for requests (DPoP, RFC 9449), each with the latest nonce of the server.
struct ProofMaker: Sendable {
    let key: SigningKey
    let nonces: ProofNonces
    let now: @Sendable () -> Date

    /// Returns a new proof for a request. Each attempt needs a new proof.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - url: The URL of the request; its query and fragment are left out.
    ///   - accessToken: The access token that the request carries, if any.
    /// - Returns: The value of the header field `DPoP`.
    func proof(method: String, url: String, accessToken: String? = nil) throws(JoseError) -> String {
        try ProofOfPossession.make(
            with: key,
            method: method,
            url: url,
            accessToken: accessToken,
            nonce: nonces.nonce(for: url),
            at: now()
        )
    }
}

/// The nonces that servers require in the next proof (RFC 9449, section 8), one for each origin.
final class ProofNonces: Sendable {
    private static let maximumOrigins = 64
    private static let maximumLength = 1024

    private struct Entry {
        let origin: String
        var nonce: String
    }

    /// The entries, in the order their nonces were stored.
    private let entries = Locked<[Entry]>([])

    /// Returns the latest nonce of the server of a URL.
    func nonce(for url: String) -> String? {
        guard let origin = Self.origin(of: url) else { return nil }
        return entries.withLock { $0.first { $0.origin == origin }?.nonce }
    }

    /// Stores the value of `DPoP-Nonce` in a response; every response may contain a new one.
    ///
    /// - Parameters:
    ///   - nonce: The value of the field; `nil` changes nothing.
    ///   - url: The URL of the request.
    /// - Returns: `true` if the nonce is valid and differs from the stored one.
    @discardableResult
    func remember(_ nonce: String?, from url: String) -> Bool {
        guard let nonce, Self.isValid(nonce), let origin = Self.origin(of: url) else { return false }
        return entries.withLock { entries in
            let known = entries.firstIndex { $0.origin == origin }.map { entries.remove(at: $0) }
            entries.append(Entry(origin: origin, nonce: nonce))
            if entries.count > Self.maximumOrigins { entries.removeFirst() }
            return known?.nonce != nonce
        }
    }

    /// Returns `true` for a nonce of the characters that RFC 9449, section 8.1 allows, and of limited length.
    private static func isValid(_ nonce: String) -> Bool {
        (1...maximumLength).contains(nonce.utf8.count)
            && nonce.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    private static func origin(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host):\(port)"
    }
}
