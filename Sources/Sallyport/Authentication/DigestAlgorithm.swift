import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A hash function of Digest authentication, and whether each session has a key of its own (RFC 7616, section 3.3).
///
/// SHA-512-256 is not among them: neither CryptoKit nor swift-crypto has it, and servers offer SHA-256 beside it.
struct DigestAlgorithm: Hashable {
    enum Function: Int {
        case md5, sha256
    }

    let function: Function
    let isSession: Bool

    /// - Parameter name: As the server writes it, in any case; `nil` is MD5.
    /// - Returns: `nil` for one that is not known.
    init?(named name: String?) {
        var name = (name ?? "MD5").uppercased()
        isSession = name.hasSuffix("-SESS")
        if isSession { name.removeLast(5) }
        switch name {
        case "MD5": function = .md5
        case "SHA-256": function = .sha256
        default: return nil
        }
    }

    /// The hash of texts with colons between them, in lower-case hexadecimal.
    func hash(_ texts: String...) -> String {
        hash { update in update(Data(texts.joined(separator: ":").utf8)) }
    }

    /// The hash of all that a closure gives, in lower-case hexadecimal.
    func hash<Failure: Error>(_ body: ((Data) -> Void) throws(Failure) -> Void) throws(Failure) -> String {
        switch function {
        case .md5: try Self.hash(Insecure.MD5(), body)
        case .sha256: try Self.hash(SHA256(), body)
        }
    }

    private static func hash<Function: HashFunction, Failure: Error>(
        _ start: Function,
        _ body: ((Data) -> Void) throws(Failure) -> Void
    ) throws(Failure) -> String {
        var function = start
        try body { data in function.update(data: data) }
        return function.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
