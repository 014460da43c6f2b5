import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The 256-bit key with which a ``FileRecordStore`` encrypts. Store it separately from the file. Its description does not contain it.
///
/// ```swift
/// let store = FileTokenStore(at: file, key: try .environment("MYAPP_TOKEN_KEY"))
/// ```
///
/// The textual form of a key is 32 bytes in base64 or base64url, as printed by `openssl rand -base64 32`. While a key is replaced, the text
/// has several keys, one per line: the first encrypts, and all of them decrypt.
public struct RecordStoreKey: Sendable {
    /// The maximum number of keys in a text.
    private static let maximumCount = 8

    let key: SymmetricKey
    /// Further keys, which only decrypt.
    private var others: [SymmetricKey] = []

    /// The keys that decrypt, beginning with the one that encrypts.
    var decryptionKeys: [SymmetricKey] { [key] + others }

    /// Creates a key from 32 bytes.
    ///
    /// - Throws: ``RecordStoreError`` for any other number of bytes.
    public init(_ bytes: Data) throws(RecordStoreError) {
        guard bytes.count == 32 else {
            throw RecordStoreError(.key, "the key of a store has 32 bytes, and this one \(bytes.count)")
        }
        key = SymmetricKey(data: bytes)
    }

    /// Creates a key from its textual form. White space around it is ignored.
    ///
    /// - Throws: ``RecordStoreError``, which does not quote the text.
    public init(text: String) throws(RecordStoreError) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
        guard let first = lines.first else {
            throw RecordStoreError(.key, "the key of a store is empty; create one: openssl rand -base64 32")
        }
        guard lines.count <= Self.maximumCount else {
            let problem = "the key of a store has \(lines.count) lines, and at most \(Self.maximumCount) are allowed"
            throw RecordStoreError(.key, "\(problem); remove old keys")
        }
        try self.init(line: first)
        for line in lines.dropFirst() { others.append(try RecordStoreKey(line: line).key) }
    }

    private init(line: String) throws(RecordStoreError) {
        let standard = line.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: standard + padding) else {
            throw RecordStoreError(.key, "the key of a store is not in base64; create one: openssl rand -base64 32")
        }
        try self.init(bytes)
    }

    /// Returns a key that encrypts with this one, and also decrypts what was encrypted under another one.
    ///
    /// ```swift
    /// let key = try RecordStoreKey.environment("TOKEN_KEY").alsoDecrypting(with: .environment("OLD_TOKEN_KEY"))
    /// ```
    public func alsoDecrypting(with other: RecordStoreKey) -> RecordStoreKey {
        var result = self
        result.others += other.decryptionKeys
        return result
    }

    /// Returns the keys for one row of a database (HKDF-SHA256, RFC 5869).
    func derived(for row: String, format: String) -> RecordStoreKey {
        let info = Data("sallyport row \(format) \(row)".utf8)
        func derived(_ key: SymmetricKey) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: info, outputByteCount: 32)
        }
        var result = RecordStoreKey(key: derived(key))
        result.others = others.map(derived)
        return result
    }

    /// Returns a new random key.
    public static func generate() -> RecordStoreKey { RecordStoreKey(key: SymmetricKey(size: .bits256)) }

    /// Returns the key in an environment variable.
    ///
    /// - Throws: ``RecordStoreError`` if the variable is not set or not a key.
    public static func environment(_ name: String) throws(RecordStoreError) -> RecordStoreKey {
        guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else {
            throw RecordStoreError(.key, "the variable \(name), which should hold the key of the store, is not set")
        }
        return try RecordStoreKey(text: text)
    }

    /// Returns the key in a file that only its owner can read, or that only root can write, such as the secrets that Docker and Kubernetes
    /// mount.
    ///
    /// - Throws: ``RecordStoreError`` if the file cannot be read, is not private or is not a key.
    public static func file(_ file: URL) throws(RecordStoreError) -> RecordStoreKey {
        let data: Data?
        do throws(PrivateAccessError) {
            data = try SecretFile.read(file.path, upTo: 4096)
        } catch {
            throw RecordStoreError(file: file.path, error)
        }
        guard let data else {
            throw RecordStoreError(.cannotRead, "there is no file \(file.path), which should hold the key of the store")
        }
        return try RecordStoreKey(text: String(decoding: data, as: UTF8.self))
    }

    private init(key: SymmetricKey) { self.key = key }
}

extension RecordStoreKey: CustomStringConvertible, CustomReflectable {
    /// A fixed text that does not contain the key.
    public var description: String { "key of a store" }

    /// The same as ``description``, so that `dump` does not print the key.
    public var customMirror: Mirror { Mirror(self, children: ["key": description], displayStyle: .struct) }
}
