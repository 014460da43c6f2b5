import Foundation
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

extension MultipartContent: FingerprintedContent {
    /// Of all that a form is made of: its boundary and its fields, and what its files are like now.
    var fingerprint: String? {
        var hash = SHA256()
        for piece in pieces {
            switch piece {
            case .data(let data):
                hash.update(data: Data("data \(data.count)\n".utf8))
                hash.update(data: data)
            case .file(let url, let length):
                guard let state = try? UploadFile.state(of: url), state.size == length else { return nil }
                hash.update(data: Data("\(UploadFingerprint.of(url, state))\n".utf8))
            }
        }
        return "form " + Data(hash.finalize()).base64EncodedString()
    }
}
