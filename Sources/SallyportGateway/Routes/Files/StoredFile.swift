import Crypto
import Foundation
import HTTPTypes
import NIOCore

/// One version of a file.
@available(macOS 14, iOS 17, tvOS 17, *)
struct StoredFile: Sendable {
    let name: String
    let contentType: String
    let content: ByteBuffer
    private let sha256: Data
    private let sha512: Data
    private let lastModified: Date

    init(name: String, contentType: String, content: ByteBuffer, at date: Date = Date()) {
        self.name = name
        self.contentType = contentType
        self.content = content
        sha256 = Data(SHA256.hash(data: content.readableBytesView))
        sha512 = Data(SHA512.hash(data: content.readableBytesView))
        lastModified = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    }

    /// The key of entity tags. The tags are readable even if the content is encrypted, so they must not be hashes of
    /// the content.
    private static let tagKey = SymmetricKey(size: .bits256)

    /// The validators. The date is weak, because a file may change twice within a second.
    var validators: Validators {
        let code = HMAC<SHA256>.authenticationCode(for: sha256, using: Self.tagKey)
        let tag = Data(code).prefix(12).base64EncodedString()
        return Validators(entityTag: "\"\(tag)\"", lastModified: lastModified, hasStrongDate: false)
    }

    /// The value of `Content-Disposition`, with the name in ASCII and in UTF-8 (RFC 6266).
    var disposition: String {
        let ascii = name.unicodeScalars.map { $0.isASCII && !"\"\\%".unicodeScalars.contains($0) ? Character($0) : "_" }
        let plain = "attachment; filename=\"\(String(ascii))\""
        let isPlain = name.unicodeScalars.elementsEqual(String(ascii).unicodeScalars)
        return isPlain ? plain : plain + "; filename*=UTF-8''" + Self.extended(name)
    }

    /// Returns the encoding of a text for an extended parameter (RFC 8187).
    private static func extended(_ text: String) -> String {
        let plain = Set("!#$&+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        return text.utf8.map { byte in
            let hex = String(byte, radix: 16, uppercase: true)
            return plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
        }.joined()
    }

    /// Adds the digest of the file to headers (RFC 9530).
    ///
    /// - Parameter wanted: The client's `Want-Repr-Digest`: a preference for each algorithm from 0, for never, to 10.
    ///   Without the field the algorithm is SHA-256; if none of its algorithms is known, there is no digest.
    func addDigest(wanted: String?, to headers: inout HTTPFields) {
        let digests = ["sha-256": sha256, "sha-512": sha512]
        guard let name = wanted == nil ? "sha-256" : Self.preferred(wanted ?? "", of: digests.keys.sorted()),
            let digest = digests[name], let field = HTTPField.Name("Repr-Digest")
        else { return }
        headers[field] = "\(name)=:\(digest.base64EncodedString()):"
    }

    private static func preferred(_ wanted: String, of names: [String]) -> String? {
        var preferences: [String: Int] = [:]
        for item in wanted.split(separator: ",") {
            let pair = NamedValue(item.trimmingCharacters(in: .whitespaces))
            let value = pair.value.prefix { $0 != ";" }
            preferences[pair.name] = Int(value).flatMap { (0...10).contains($0) ? $0 : nil }
        }
        let best = names.max { (preferences[$0] ?? 0) < (preferences[$1] ?? 0) }
        return best.flatMap { (preferences[$0] ?? 0) > 0 ? $0 : nil }
    }
}
