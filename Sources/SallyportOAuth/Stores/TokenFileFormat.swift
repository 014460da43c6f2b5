import Crypto
import Foundation

/// How a record is written to a file: JSON that names its format and version, encrypted or not.
struct TokenFileFormat: Sendable {
    private struct Envelope: Codable {
        var format: String
        var version: Int
        var record: TokenRecord?
        var encryption: String?
        var sealed: Data?
    }

    /// The longest file that is written or read.
    static let mostBytes = 1 << 20

    private static let name = "sallyport-tokens"
    private static let version = 1
    private static let encryption = "A256GCM"
    /// What is authenticated beside the record, so that no other format's text passes for one.
    private static let context = Data("\(name) \(version) \(encryption)".utf8)

    let key: TokenStoreKey?

    func data(_ record: TokenRecord) throws(TokenStoreError) -> Data {
        do {
            var envelope = Envelope(format: Self.name, version: Self.version)
            if let key {
                let text = try JSONEncoder().encode(record)
                envelope.encryption = Self.encryption
                envelope.sealed = try AES.GCM.seal(text, using: key.key, authenticating: Self.context).combined
            } else {
                envelope.record = record
            }
            let data = try JSONEncoder().encode(envelope)
            guard data.count <= Self.mostBytes else { throw tooLarge(data.count) }
            return data
        } catch let error as TokenStoreError {
            throw error
        } catch {
            throw TokenStoreError(.cannotWrite, "the tokens cannot be written as JSON")
        }
    }

    /// - Parameter place: Named in errors, such as `the token file tokens.json`.
    func record(in data: Data, place: String) throws(TokenStoreError) -> TokenRecord {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: data), envelope.format == Self.name else {
            throw malformed(place, "does not hold tokens")
        }
        guard envelope.version == Self.version else {
            throw malformed(place, "is of version \(envelope.version), and this program knows \(Self.version)")
        }
        if let record = envelope.record { return record }
        guard envelope.encryption == Self.encryption, let sealed = envelope.sealed else {
            throw malformed(place, "is encrypted in a way that this program does not know")
        }
        guard let key else {
            throw TokenStoreError(.key, "\(place) is encrypted; give the store its key")
        }
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let text = try? AES.GCM.open(box, using: key.key, authenticating: Self.context)
        else { throw TokenStoreError(.key, "\(place) is encrypted under another key, or was changed") }
        guard let record = try? JSONDecoder().decode(TokenRecord.self, from: text) else {
            throw malformed(place, "does not hold tokens")
        }
        return record
    }

    private func malformed(_ place: String, _ problem: String) -> TokenStoreError {
        TokenStoreError(.malformed, "\(place) \(problem); remove it and log in again")
    }

    private func tooLarge(_ count: Int) -> TokenStoreError {
        TokenStoreError(.tooLarge, "the tokens take \(count) bytes, and a token file holds \(Self.mostBytes) at most")
    }
}
