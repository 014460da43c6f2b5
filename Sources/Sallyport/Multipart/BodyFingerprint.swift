import Foundation
import SallyportStorage
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Creates short texts that identify request bodies, for example in the journal of an upload: from the bytes of data, and from
/// the path and version of a file.
package enum BodyFingerprint {
    package static func of(_ data: Data) -> String {
        "sha-256 " + digest(data)
    }

    package static func of(_ file: URL, _ version: FileVersion) -> String {
        // The path is hashed to keep it short, not to hide it.
        "file \(digest(Data(file.standardizedFileURL.path.utf8))) \(version.text)"
    }

    package static func digest(_ data: Data) -> String {
        Data(SHA256.hash(data: data)).base64EncodedString()
    }
}

extension FileVersion {
    fileprivate var text: String { "\(size) \(modified) \(device) \(inode)" }
}

extension MultipartContent {
    /// A digest of the boundary of a form, the headers and data of its parts, and the current versions of its files;
    /// `nil` for a form that contains a stream.
    var fingerprint: String? {
        var hash = SHA256()
        hash.update(data: Data("boundary \(boundary)\n".utf8))
        for (part, length) in zip(parts, lengths) {
            guard let head = try? part.head() else { return nil }
            hash.update(data: Data("head \(head.utf8.count)\n\(head)".utf8))
            switch part.content {
            case .data(let data):
                hash.update(data: Data("data \(data.count)\n".utf8))
                hash.update(data: data)
            case .file(let url):
                guard let version = try? SentFile.version(of: url), version.size == length else { return nil }
                hash.update(data: Data("\(BodyFingerprint.of(url, version))\n".utf8))
            case .stream:
                return nil
            }
        }
        return "form " + Data(hash.finalize()).base64EncodedString()
    }
}
