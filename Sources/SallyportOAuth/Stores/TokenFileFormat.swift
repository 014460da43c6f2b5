import Crypto
import Foundation

/// The file format of a record: JSON with the name and version of the format, and the record in plain text or encrypted.
///
/// The client that the tokens belong to is part of the record. In an encrypted file it is also outside of the ciphertext,
/// as authenticated data, so that no ciphertext can be presented as tokens of another client.
struct TokenFileFormat: Sendable {
    private struct Envelope: Codable {
        var format: String
        var version: Int
        var record: TokenRecord?
        var encryption: String?
        var client: OAuthClientIdentity?
        var sealed: Data?
    }

    /// The maximum size of a file that is read or written, in bytes.
    static let mostBytes = 1 << 20

    private static let name = "sallyport-tokens"
    private static let version = 2
    private static let encryption = "A256GCM"

    let key: TokenStoreKey?

    func data(_ record: TokenRecord) throws(TokenStoreError) -> Data {
        do {
            var envelope = Envelope(format: Self.name, version: Self.version)
            if let key {
                let text = try JSONEncoder().encode(record)
                let context = try Self.authenticatedData(record.client)
                envelope.encryption = Self.encryption
                envelope.client = record.client
                envelope.sealed = try AES.GCM.seal(text, using: key.key, authenticating: context).combined
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

    /// Decodes a record.
    ///
    /// - Parameter location: The name of the file in errors, such as `the token file tokens.json`.
    /// - Throws: ``TokenStoreError``; its reason is ``TokenStoreError/Reason/notEncrypted`` if there is a key and the record
    ///   is in plain text.
    func record(in data: Data, location: String) throws(TokenStoreError) -> TokenRecord {
        let envelope = try envelope(in: data, location)
        if let record = envelope.record {
            guard key == nil else {
                throw TokenStoreError(
                    .notEncrypted,
                    "\(location) is not encrypted, although the store has a key; log in again"
                )
            }
            return record
        }
        guard envelope.encryption == Self.encryption, let sealed = envelope.sealed, let client = envelope.client else {
            throw malformed(location, "is encrypted in a way that this program does not know")
        }
        guard let key else {
            throw TokenStoreError(.key, "\(location) is encrypted; give the store its key")
        }
        guard let box = try? AES.GCM.SealedBox(combined: sealed), let context = try? Self.authenticatedData(client),
            let text = try? AES.GCM.open(box, using: key.key, authenticating: context)
        else { throw TokenStoreError(.key, "\(location) is encrypted under another key, or was changed") }
        guard let record = try? JSONDecoder().decode(TokenRecord.self, from: text), record.client == client else {
            throw malformed(location, "does not hold tokens")
        }
        return record
    }

    private func envelope(in data: Data, _ location: String) throws(TokenStoreError) -> Envelope {
        struct Header: Decodable {
            var format: String
            var version: Int
        }
        guard let header = try? JSONDecoder().decode(Header.self, from: data), header.format == Self.name else {
            throw malformed(location, "does not hold tokens")
        }
        switch header.version {
        case Self.version: break
        case ..<Self.version:
            throw TokenStoreError(
                .outdated,
                "\(location) has the format version \(header.version), which does not name the client of its tokens; log in again"
            )
        default: throw malformed(location, "is of version \(header.version), and this program knows \(Self.version)")
        }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: data) else {
            throw malformed(location, "does not hold tokens")
        }
        return envelope
    }

    /// The authenticated data of the encryption: format, version and algorithm, then the client as JSON with sorted keys.
    private static func authenticatedData(_ client: OAuthClientIdentity) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Data("\(name) \(version) \(encryption) ".utf8) + (try encoder.encode(client))
    }

    private func malformed(_ location: String, _ problem: String) -> TokenStoreError {
        TokenStoreError(.malformed, "\(location) \(problem); remove it and log in again")
    }

    private func tooLarge(_ count: Int) -> TokenStoreError {
        TokenStoreError(.tooLarge, "the tokens take \(count) bytes, and a token file holds \(Self.mostBytes) at most")
    }
}
