import Crypto
import Foundation
import SallyportJOSE

/// The key under which a ``FileTokenStore`` encrypts: 256 bits, from a place that is not the file's. It is not shown when
/// printed.
///
/// ```swift
/// let store = FileTokenStore(at: file, key: try .environment("MYAPP_TOKEN_KEY"))
/// ```
///
/// A key in text is 32 bytes in base64 or base64url, as `openssl rand -base64 32` makes it.
public struct TokenStoreKey: Sendable {
    let key: SymmetricKey

    /// Makes a key of 32 bytes.
    ///
    /// - Throws: ``TokenStoreError`` for another number.
    public init(_ bytes: Data) throws(TokenStoreError) {
        guard bytes.count == 32 else {
            throw TokenStoreError(.key, "the key of a token store has 32 bytes, and this one \(bytes.count)")
        }
        key = SymmetricKey(data: bytes)
    }

    /// Reads a key in text, with blanks around it or not.
    ///
    /// - Throws: ``TokenStoreError``, which does not quote it.
    public init(text: String) throws(TokenStoreError) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let bytes = Data(base64Encoded: text) ?? Base64Url.decode(text) else {
            throw TokenStoreError(.key, "the key of a token store is not in base64; make one: openssl rand -base64 32")
        }
        try self.init(bytes)
    }

    /// A new key.
    public static func generate() -> TokenStoreKey { TokenStoreKey(key: SymmetricKey(size: .bits256)) }

    /// The key in a variable of the environment.
    ///
    /// - Throws: ``TokenStoreError`` if it is not set or not a key.
    public static func environment(_ name: String) throws(TokenStoreError) -> TokenStoreKey {
        guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else {
            throw TokenStoreError(
                .key,
                "the variable \(name), which should hold the key of the token store, is not set"
            )
        }
        return try TokenStoreKey(text: text)
    }

    /// The key in a file, which only its owner may be able to read.
    ///
    /// - Throws: ``TokenStoreError`` if it cannot be read, is not private or holds no key.
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
    /// No more than that it is one.
    public var description: String { "key of a token store" }

    /// The same as ``description``, so that dumping shows no key either.
    public var customMirror: Mirror { Mirror(self, children: ["key": description], displayStyle: .struct) }
}
