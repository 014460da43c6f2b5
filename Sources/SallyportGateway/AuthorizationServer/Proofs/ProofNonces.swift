import Crypto
import Foundation
import SallyportJOSE

/// Nonces for proofs (RFC 9449, section 8). None is kept: one is its own if its end is the code of its beginning, the time.
struct GatewayProofNonces: Sendable {
    private let key = SymmetricKey(size: .bits256)
    let lifetime: TimeInterval

    init(lifetime: TimeInterval) {
        self.lifetime = lifetime
    }

    /// A nonce for proofs to come.
    func nonce(now: Date) -> String {
        let time = Int64(now.timeIntervalSince1970 * 1000)
        return "\(time).\(code(of: time))"
    }

    /// Whether it was given by this server, not too long ago.
    func accepts(_ nonce: String, now: Date) -> Bool {
        let parts = nonce.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let time = Int64(parts[0]), String(parts[1]).isSameSecret(as: code(of: time)) else {
            return false
        }
        let age = now.timeIntervalSince1970 - Double(time) / 1000
        return age >= -1 && age <= lifetime
    }

    private func code(of time: Int64) -> String {
        Base64Url.encode(Data(HMAC<SHA256>.authenticationCode(for: Data("\(time)".utf8), using: key)))
    }
}
