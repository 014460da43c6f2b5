import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Digests for the keys of a cache, in hexadecimal. Different lists of texts have different digests.
enum CacheDigest {
    /// Returns the SHA-256 digest of texts, such as a URL. A secret in them can be guessed from it.
    static func of(_ texts: [String]) -> String {
        var hash = SHA256()
        for text in texts { hash.update(data: encoded(text)) }
        return hash.finalize().hexadecimal
    }

    /// Returns the HMAC-SHA256 of texts that may contain credentials. Without the key, it does not show whether a guessed credential is
    /// the right one.
    static func of(_ texts: [String], key: Data) -> String {
        var code = HMAC<SHA256>(key: SymmetricKey(data: key))
        for text in texts { code.update(data: encoded(text)) }
        return code.finalize().hexadecimal
    }

    /// Returns the SHA-256 digest of bytes.
    static func of(_ data: Data) -> String { SHA256.hash(data: data).hexadecimal }

    /// Returns a new random key.
    static func makeKey() -> Data { SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) } }

    private static func encoded(_ text: String) -> Data { Data("\(text.utf8.count):\(text)".utf8) }
}

/// Separates the stored responses of users: requests with different credentials have different partitions.
///
/// All fields of a request that contain a secret are credentials, such as `Authorization`, `Cookie`, and fields that were set as
/// sensitive, and so are fields that name a user, such as `X-Auth-User`. They and the client's certificates are only used as a digest,
/// which has the key of the storage.
struct CachePartition: Sendable {
    /// The partition of responses with `Cache-Control: public`, which all users share.
    static let shared = CacheDigest.of(["public"])

    /// The fields that contain no credentials, so that their values need not be searched for them.
    private static let harmless: Set<HTTPField.Name> = [
        .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .contentType, .ifMatch, .ifModifiedSince,
        .ifNoneMatch,
        .ifRange, .ifUnmodifiedSince, .range, .userAgent,
    ]

    /// The words in the names of fields that name a user or what the user may see.
    private static let identifyingWords: Set<Substring> = [
        "act", "actor", "auth", "caller", "cert", "group", "groups", "person", "role", "roles", "sid", "sub", "uid",
    ]

    /// Longer words, which are also found without a hyphen before or after them.
    private static let identifyingParts: [StaticString] = [
        "account", "certificate", "customer", "email", "identity", "impersonat", "login", "member", "organi",
        "principal",
        "subject", "tenant", "ticket", "user",
    ]

    /// The maximum size of a file with certificates, in bytes. The engine has the same limit.
    private static let maximumFileSize = 16 << 20

    /// `true` if the client uses the responses that all users share. It does not use them if
    ///
    /// - it seals its requests, because other clients receive these responses without the checks of its interceptor;
    /// - it has its own authorities or addresses, or does not verify servers, because its responses may come from another server;
    /// - it has pins or another minimum version of TLS, because other clients have received their responses from servers whose keys and
    ///   versions were not compared.
    let usesShared: Bool

    /// The key of digests; see ``HttpCacheStorage/digestKey()``. No storage has the initial one.
    var digestKey = CacheDigest.makeKey()

    private let user: String?
    /// The properties that distinguish the client's requests from the requests of other clients.
    private let client: [String]

    /// Creates the partitions of a client.
    init(_ cache: HttpCache, _ configuration: HttpClientConfiguration) {
        user = cache.user
        let security = configuration.transportConfiguration.security
        let overrides = configuration.transportConfiguration.addressOverrides
        let socket = configuration.transportConfiguration.unixSocketPath
        usesShared =
            configuration.sealing.isEmpty && security.trustRoots == .system && overrides.isEmpty && socket == nil
            && security.pins.entries.isEmpty && security.minimumVersion == .tls12 && !security.acceptsUnverifiedServers
        let identities = security.clientIdentities.map { "\($0): \(Self.digest(of: $1.certificateFile))" }
        // The certificate for all hosts, and those for some hosts in one order.
        var client = [security.clientIdentity.map { Self.digest(of: $0.certificateFile) } ?? ""] + identities.sorted()
        // A response that a sealing interceptor would refuse must not be returned by a client that has one.
        if !configuration.sealing.isEmpty { client.append("sealed") }
        switch security.trustRoots {
        case .system: break
        case .file(let file): client.append("authorities: \(Self.digest(of: file))")
        case .pem(let text): client.append("authorities: \(CacheDigest.of(Data(text.utf8)))")
        }
        client += security.pins.entries.map { entry -> String in
            let expiry = entry.expiry.map { "\($0.timeIntervalSince1970)" } ?? "never"
            let pins = entry.pins.map(\.description).sorted().joined(separator: ",")
            return "pins of \(entry.hosts): \(pins) until \(expiry) \(entry.enforcement)"
        }.sorted()
        if security.acceptsUnverifiedServers { client.append("unverified servers") }
        if security.minimumVersion != .tls12 { client.append("minimum version of TLS: \(security.minimumVersion)") }
        client += overrides.map { "\($0.host):\($0.port): \($0.addresses.joined(separator: ","))" }.sorted()
        if let socket { client.append("socket: \(socket)") }
        self.client = client
    }

    /// Returns the digest of a file with certificates, so that a client with another content of the same file receives none of the
    /// responses to this one; a random text if the file cannot be read now. A pipe is not read, because the transport could not read it
    /// again.
    private static func digest(of file: URL) -> String {
        guard FileState(file, followingLinks: true)?.isFile == true,
            let content = try? FileSystem.content(of: file, upTo: maximumFileSize)
        else { return UUID().uuidString }
        return CacheDigest.of(content)
    }

    /// Returns the partition of a request.
    ///
    /// - Parameter isWithheld: `true` for a request that was redirected to another origin, which does not receive the certificate of
    ///   ``TransportSecurity/clientIdentity``.
    func digest(of request: HTTPFields, withholdingIdentity isWithheld: Bool = false) -> String {
        let client = isWithheld ? [""] + client.dropFirst() : client
        let credentials = Self.credentials(of: request)
        if let user {
            // Responses from before a user's sign-in are separate from those after it.
            let names = Set(credentials.map(\.name.canonicalName)).sorted()
            return CacheDigest.of(["user", user] + client + names, key: digestKey)
        }
        return CacheDigest.of(["request"] + client + Self.texts(credentials), key: digestKey)
    }

    /// Returns a Boolean value that indicates whether two requests have the same credentials.
    func matches(_ request: HTTPFields, _ sent: HTTPFields) -> Bool {
        user != nil || request == sent
            || Self.texts(Self.credentials(of: request)) == Self.texts(Self.credentials(of: sent))
    }

    /// Returns `true` if a request identifies its user only by credentials that no later request has, such as a signature or the
    /// credentials of Digest authentication.
    func hasOneTimeCredentials(_ request: HTTPFields) -> Bool {
        if user != nil { return false }
        if request.contains(where: { $0.name.canonicalName == "signature" }) { return true }
        return request[values: .authorization].contains { value in
            let scheme = value.trimmingBlanks().prefix { $0 != " " && $0 != "\t" }.lowercased()
            return !["basic", "bearer", "dpop"].contains(scheme)
        }
    }

    /// Returns the fields that contain credentials. A DPoP proof differs in each request, and belongs to the token in `Authorization`.
    private static func credentials(of request: HTTPFields) -> [HTTPField] {
        request.filter {
            $0.name.canonicalName != "dpop" && !harmless.contains($0.name)
                && (identifiesUser($0.name) || Redaction.containsSecret($0))
        }
    }

    /// Returns a Boolean value that indicates whether the name of a field says that its value identifies a user.
    static func identifiesUser(_ name: HTTPField.Name) -> Bool {
        let text = name.canonicalName
        if harmless.contains(name) { return false }
        if SecretNames.contains(text) { return true }
        let bytes = Array(text.utf8)
        return identifyingParts.contains { bytes.containsText($0) }
            || text.split { "-_.".contains($0) }.contains(where: identifyingWords.contains)
    }

    private static func texts(_ credentials: [HTTPField]) -> [String] {
        credentials.flatMap { [$0.name.canonicalName, $0.value] }
    }
}
