import Foundation
import Sallyport

/// The nonces that servers want in the next proof (RFC 9449, section 8), one for each origin.
public final class ProofNonces: Sendable {
    private static let maximumOrigins = 64
    private static let maximumLength = 1024

    private struct Entry {
        let origin: String
        var nonce: String
    }

    /// The one used last is at the end.
    private let entries = Locked<[Entry]>([])

    /// Knows no nonce.
    public init() {}

    /// The last nonce of the server of a URL.
    public func nonce(for url: String) -> String? {
        guard let origin = Self.origin(of: url) else { return nil }
        return entries.withLock { $0.first { $0.origin == origin }?.nonce }
    }

    /// Remembers what a server sent in `DPoP-Nonce`; every response may bring a new one.
    ///
    /// - Parameters:
    ///   - nonce: The field's value; `nil` changes nothing.
    ///   - url: The URL of the request.
    /// - Returns: Whether it is one that can be sent back, and is not the one that was known.
    @discardableResult
    public func remember(_ nonce: String?, from url: String) -> Bool {
        guard let nonce, Self.isUsable(nonce), let origin = Self.origin(of: url) else { return false }
        return entries.withLock { entries in
            let known = entries.firstIndex { $0.origin == origin }.map { entries.remove(at: $0) }
            entries.append(Entry(origin: origin, nonce: nonce))
            if entries.count > Self.maximumOrigins { entries.removeFirst() }
            return known?.nonce != nonce
        }
    }

    /// Only the characters that RFC 9449, section 8.1 allows, and no more of them than anybody needs.
    private static func isUsable(_ nonce: String) -> Bool {
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
