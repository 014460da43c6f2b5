import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Encodes and decodes the stored form of a record: JSON with the name and version of the format, and the record in plain
/// text or encrypted.
///
/// An encrypted record also has its owner outside of the ciphertext, as authenticated data, so that the ciphertext cannot be
/// presented as a record of another owner. In a database, each row has its own key, and the name of the row is authenticated as well.
package struct RecordFile<Record: StoredRecord>: Sendable {
    private struct Envelope: Codable {
        var format: String
        var version: Int
        var record: Record?
        var encryption: String?
        var owner: Record.Owner?
        var sealed: Data?
    }

    private struct Header: Decodable {
        var format: String
        var version: Int
    }

    /// The maximum size of the stored form, in bytes.
    package static var maximumSize: Int { 1 << 20 }

    private static var encryption: String { "A256GCM" }

    let key: RecordStoreKey?
    private let row: String?

    /// - Parameters:
    ///   - key: The key of the encryption; `nil` for plain text.
    ///   - row: The name of the row with the record; `nil` for a file.
    package init(key: RecordStoreKey?, row: String? = nil) {
        self.key = row.flatMap { row in key?.derived(for: row, format: Record.format.name) } ?? key
        self.row = row
    }

    private var format: RecordFormat { Record.format }

    /// Returns the stored form of a record.
    package func encode(_ record: Record) throws(RecordStoreError) -> Data {
        let data: Data
        do {
            var envelope = Envelope(format: format.name, version: format.version)
            if let key {
                let text = try encoder.encode(record)
                let context = try authenticatedData(record.owner)
                envelope.encryption = Self.encryption
                envelope.owner = record.owner
                envelope.sealed = try AES.GCM.seal(text, using: key.key, authenticating: context).combined
            } else {
                envelope.record = record
            }
            data = try encoder.encode(envelope)
        } catch {
            throw RecordStoreError(.cannotWrite, "the \(format.noun)s cannot be written as JSON")
        }
        guard data.count <= Self.maximumSize else {
            throw RecordStoreError(
                .tooLarge,
                "the \(format.noun)s take \(data.count) bytes, and the maximum is \(Self.maximumSize)"
            )
        }
        return data
    }

    /// Returns the record in a stored form.
    ///
    /// - Parameter location: The file or item as errors name it, such as `the token file tokens.json`.
    package func decode(_ data: Data, location: String) throws(RecordStoreError) -> Record {
        let envelope = try envelope(in: data, location)
        if let record = envelope.record {
            guard key == nil else {
                throw RecordStoreError(
                    .notEncrypted,
                    "\(location) is not encrypted, although the store has a key; \(format.recovery)"
                )
            }
            return record
        }
        guard envelope.encryption == Self.encryption, let sealed = envelope.sealed, let owner = envelope.owner else {
            throw malformed(location, "is encrypted with an unknown algorithm")
        }
        guard let key else {
            throw RecordStoreError(.key, "\(location) is encrypted; give the store its key")
        }
        guard let box = try? AES.GCM.SealedBox(combined: sealed), let context = try? authenticatedData(owner),
            let text = key.decryptionKeys.lazy.compactMap({ try? AES.GCM.open(box, using: $0, authenticating: context) }
            ).first
        else { throw RecordStoreError(.key, "\(location) is encrypted under another key, or was changed") }
        guard let record = try? JSONDecoder().decode(Record.self, from: text), record.owner == owner else {
            throw malformed(location, "does not contain \(format.noun)s")
        }
        return record
    }

    private func envelope(in data: Data, _ location: String) throws(RecordStoreError) -> Envelope {
        guard let header = try? JSONDecoder().decode(Header.self, from: data), header.format == format.name else {
            throw malformed(location, "does not contain \(format.noun)s")
        }
        if header.version < format.version {
            throw RecordStoreError(
                .outdated,
                "\(location) has the outdated format version \(header.version); \(format.recovery)"
            )
        }
        guard header.version == format.version else {
            let problem = "has the format version \(header.version), and this program supports \(format.version)"
            throw malformed(location, problem)
        }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: data) else {
            throw malformed(location, "does not contain \(format.noun)s")
        }
        return envelope
    }

    /// An encoder that sorts keys, so that the same unencrypted record always has the same stored form.
    private var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// Returns the authenticated data of the encryption: format, version and algorithm, then the owner as JSON with sorted
    /// keys, then the name of the row, if there is one.
    private func authenticatedData(_ owner: Record.Owner) throws -> Data {
        Data("\(format.name) \(format.version) \(Self.encryption) ".utf8) + (try encoder.encode(owner))
            + Data((row.map { " \($0)" } ?? "").utf8)
    }

    private func malformed(_ location: String, _ problem: String) -> RecordStoreError {
        RecordStoreError(.malformed, "\(location) \(problem); remove it and \(format.recovery)")
    }
}
