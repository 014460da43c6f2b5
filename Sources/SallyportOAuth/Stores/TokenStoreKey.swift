import Crypto
import Foundation
import SallyportJOSE

/// The 256-bit key with which a ``FileTokenStore`` encrypts. Store it apart from the file. Its description does not contain it.
///
/// ```swift
/// let store = FileTokenStore(at: file, key: try .environment("MYAPP_TOKEN_KEY"))
/// ```
///
/// As text, a key is 32 bytes in base64 or base64url, such as the output of `openssl rand -base64 32`.
public struct TokenStoreKey: Sendable {
    let key: SymmetricKey

    /// Creates a key of 32 bytes.
    ///
    /// - Throws: ``TokenStoreError`` for another length.
    public init(_ bytes: Data) throws(TokenStoreError) {
        guard bytes.count == 32 else {
            throw TokenStoreError(.key, "the key of a token store has 32 bytes, and this one \(bytes.count)")
        }
        key = SymmetricKey(data: bytes)
    }

    /// Parses a key in text, which may be surrounded by whitespace.
    ///
    /// - Throws: ``TokenStoreError``, which does not contain the text.
    public init(text: String) throws(TokenStoreError) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Data(base64Encoded: text) ?? Base64Url.decode(text) else {
            throw TokenStoreError(.key, "the key of a token store is not in base64; make one: openssl rand -base64 32")
        }
        try self.init(bytes)
    }

    /// Returns a new random key.
    public static func generate() -> TokenStoreKey { TokenStoreKey(key: SymmetricKey(size: .bits256)) }

    /// Returns the key in an environment variable.
    ///
    /// - Throws: ``TokenStoreError`` if the variable is not set or not a key.
    public static func environment(_ name: String) throws(TokenStoreError) -> TokenStoreKey {
        guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else {
            throw TokenStoreError(
                .key,
                "the variable \(name), which should hold the key of the token store, is not set"
            )
        }
        return try TokenStoreKey(text: text)
    }

    /// Returns the key in a file that only its owner can read.
    ///
    /// - Throws: ``TokenStoreError`` if the file cannot be read, is not private or contains no key.
    public static func file(_ file: URL) throws(TokenStoreError) -> TokenStoreKey {
        let folder = try PrivateFolder(file.deletingLastPathComponent().path, mustBeGuarded: false)
        guard let data = try folder.read(file.lastPathComponent, upTo: 4096) else {
            throw TokenStoreError(.cannotRead, "there is no file \(file.path), which should hold the key of the store")
        }
        return try TokenStoreKey(text: String(decoding: data, as: UTF8.self))
    }

    private init(key: SymmetricKey) { self.key = key }
}

extension TokenStoreKey: CustomStringConvertible, CustomReflectable {
    /// A fixed text without the key.
    public var description: String { "key of a token store" }

    /// The same as ``description``, so that `dump` prints no key either.
    public var customMirror: Mirror { Mirror(self, children: ["key": description], displayStyle: .struct) }
}
