import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// A session of a user at the server, which a tree has created.
///
/// Its description does not contain the token.
public struct JourneySession: Sendable, Hashable, Codable {
    /// The session token (SSO token).
    public let token: String

    /// The URL of the page that the tree selects for its success; `nil` if there is none.
    public let successURL: String?

    /// The realm of the user, such as `/alpha`; `nil` if the server did not state it.
    public let realm: String?

    /// The maximum length of a token, in bytes.
    private static let maximumLength = 16 << 10

    /// Creates a session from the response of the server; returns `nil` if the token cannot be sent in a header.
    init?(token: String, _ document: JsonDocument) {
        guard token.utf8.count <= Self.maximumLength,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !",;\"\\".utf8.contains($0) })
        else { return nil }
        self.token = token
        successURL = document["successUrl"]?.string
        realm = document["realm"]?.string
    }
}

extension JourneySession: CustomStringConvertible, CustomReflectable {
    /// The realm, without the token.
    public var description: String { "session" + (realm.map { " in the realm \(SanitizedText.make(from: $0))" } ?? "") }

    /// The same as ``description``, so that `dump` prints no token either.
    public var customMirror: Mirror { Mirror(self, children: ["session": description], displayStyle: .struct) }
}

/// The content of a ``JourneySessionStore``: a session, its cookies and the server that it belongs to.
///
/// Its description contains neither the token nor a cookie.
public struct JourneySessionRecord: StoredRecord, Hashable {
    /// The server and the realm of a session. A ``Journey`` for any other server refuses the record.
    public struct Owner: Sendable, Hashable, Codable {
        /// The URL for authentication trees, which contains the realm.
        public let authenticateURL: String
        /// The name of the session cookie.
        public let cookieName: String
    }

    /// The format of stored sessions.
    public static let format = RecordFormat(
        name: "sallyport-session",
        version: 1,
        noun: "session",
        recovery: "sign in again"
    )

    /// The session.
    public let session: JourneySession

    /// The cookies of the server, in the format of a Netscape `cookies.txt`.
    public let cookies: String

    /// The server that the session belongs to.
    public let owner: Owner
}

extension JourneySessionRecord: CustomStringConvertible, CustomReflectable {
    /// The description of the session.
    public var description: String { session.description }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["record": description], displayStyle: .struct) }
}

/// Stores one session.
///
/// ``MemorySessionStore``, ``FileSessionStore`` and, on Apple platforms, `KeychainSessionStore` conform to this protocol.
public protocol JourneySessionStore: RecordStore where Record == JourneySessionRecord {}

/// Stores a session in memory, for the lifetime of the store.
public typealias MemorySessionStore = MemoryRecordStore<JourneySessionRecord>

/// Stores a session in a file that only its owner can read. Any number of processes can share it; see `FileRecordStore`.
public typealias FileSessionStore = FileRecordStore<JourneySessionRecord>

extension MemoryRecordStore: JourneySessionStore where Record == JourneySessionRecord {}

extension FileRecordStore: JourneySessionStore where Record == JourneySessionRecord {}

#if canImport(Security)
/// Stores a session in the keychain of the device; see `KeychainRecordStore`.
public typealias KeychainSessionStore = KeychainRecordStore<JourneySessionRecord>

extension KeychainRecordStore: JourneySessionStore where Record == JourneySessionRecord {}
#endif
