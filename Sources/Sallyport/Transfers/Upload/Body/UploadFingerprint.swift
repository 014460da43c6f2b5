import Foundation
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// What tells one body from another, short enough to be written down.
enum UploadFingerprint {
    static func of(_ data: Data) -> String {
        "sha-256 " + digest(data)
    }

    static func of(_ file: URL, _ version: FileVersion) -> String {
        // The path is a secret as little as the journal is, but it may be long.
        "file \(digest(Data(file.standardizedFileURL.path.utf8))) \(version.text)"
    }

    static func digest(_ data: Data) -> String {
        Data(SHA256.hash(data: data)).base64EncodedString()
    }
}

extension FileVersion {
    fileprivate var text: String { "\(size) \(modified) \(device) \(inode)" }
}
