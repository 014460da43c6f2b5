import Crypto
import Foundation
import Hummingbird
import SallyportJOSE

/// The Digest credentials of a request, with the quality of protection `auth` (RFC 7616, section 3.4).
@available(macOS 14, iOS 17, tvOS 17, *)
struct DigestProof {
    static let realm = "sallyport"

    let algorithm: String
    let nonce: String
    /// The number of requests that the client has sent with the nonce (`nc`).
    let count: UInt32

    private let uri: String
    private let countText: String
    private let clientNonce: String
    private let response: String

    /// Parses the `Authorization` header. The result is `nil` if a field is missing, or the target or realm differs.
    init?(_ request: Request) {
        guard let header = request.headers[.authorization], header.lowercased().hasPrefix("digest ") else { return nil }
        var fields: [Substring: String] = [:]
        for match in header.matches(of: /(\w+)=(?:"([^"]*)"|([^", ]+))/) {
            fields[match.1] = String(match.2 ?? match.3 ?? "")
        }
        guard let nonce = fields["nonce"], let uri = fields["uri"], let clientNonce = fields["cnonce"],
            let countText = fields["nc"], let count = UInt32(countText, radix: 16), let response = fields["response"],
            fields["qop"] == "auth", fields["realm"] == Self.realm, uri == request.head.path
        else { return nil }
        algorithm = fields["algorithm"] ?? "MD5"
        self.nonce = nonce
        self.uri = uri
        self.clientNonce = clientNonce
        self.countText = countText
        self.count = count
        self.response = response
    }

    /// Returns a Boolean value that indicates whether the response was computed with the password.
    func isValid(user: String, password: String, method: String) -> Bool {
        ConstantTime.areEqual(response.utf8, proof(user, password, of: "\(method):\(uri)").utf8)
    }

    /// Returns the server's response, for `Authentication-Info` (RFC 7616, section 3.5).
    func info(_ user: String, _ password: String) -> String {
        let own = proof(user, password, of: ":\(uri)")
        return "qop=auth, rspauth=\"\(own)\", cnonce=\"\(clientNonce)\", nc=\(countText)"
    }

    private func proof(_ user: String, _ password: String, of message: String) -> String {
        let secret = hash("\(user):\(Self.realm):\(password)")
        return hash("\(secret):\(nonce):\(countText):\(clientNonce):auth:\(hash(message))")
    }

    private func hash(_ text: String) -> String {
        let data = Data(text.utf8)
        return algorithm == "MD5" ? Insecure.MD5.hash(data: data).hexadecimal : SHA256.hash(data: data).hexadecimal
    }
}
