import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A challenge of the scheme `Digest` (RFC 7616, section 3.3).
struct DigestChallenge {
    /// The part of a request that the proof covers: `qop`, the quality of protection.
    enum Protection: String {
        /// The method and the request target.
        case request = "auth"
        /// The method, the request target and the body.
        case requestAndBody = "auth-int"
    }

    /// The realm; empty if the challenge has none, contrary to the standard.
    let realm: String
    let nonce: String
    let opaque: String?
    let algorithm: DigestAlgorithm
    /// A Boolean value that indicates whether the server named the algorithm. The client repeats the name only then.
    let namesAlgorithm: Bool
    /// The protections that the server offers and that are supported; empty for a server of RFC 2069, which defines none, and for one
    /// that sends an empty `qop`.
    let protections: [Protection]
    /// A Boolean value that indicates whether the server rejected the previous proof only because its nonce had expired.
    let isStale: Bool
    /// A Boolean value that indicates whether the user name is sent as a hash.
    let hashesUser: Bool
    /// A Boolean value that indicates whether the server accepts user names and passwords in UTF-8.
    let isUtf8: Bool
    /// The URLs, absolute or relative, that accept the same credentials; empty for all URLs of the server.
    let domain: [String]

    /// Creates a Digest challenge; returns `nil` for another scheme, and if a required parameter is missing or unsupported.
    init?(_ challenge: AuthenticationChallenge) {
        let parameters = challenge.parameters
        guard challenge.scheme == "digest", let nonce = parameters["nonce"],
            let algorithm = DigestAlgorithm(named: parameters["algorithm"])
        else { return nil }
        let names = (parameters["qop"] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        protections = names.compactMap { Protection(rawValue: String($0)) }
        if !names.isEmpty, protections.isEmpty { return nil }
        realm = parameters["realm"] ?? ""
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = parameters["opaque"]
        namesAlgorithm = parameters["algorithm"] != nil
        isStale = parameters["stale"]?.lowercased() == "true"
        hashesUser = parameters["userhash"]?.lowercased() == "true"
        isUtf8 = parameters["charset"]?.lowercased() == "utf-8"
        domain = (parameters["domain"] ?? "").split(separator: " ").prefix(32).map(String.init)
    }

    /// Returns the supported challenge of a response with the strongest hash function; the first of several equally strong ones.
    static func strongest(in response: HttpResponse) -> DigestChallenge? {
        guard response.status == .unauthorized else { return nil }
        let challenges = AuthenticationChallenge.all(in: response.headers.fields[values: .wwwAuthenticate])
            .compactMap(DigestChallenge.init)
        return challenges.first { $0.algorithm.function != .md5 } ?? challenges.first
    }
}

/// A hash algorithm of Digest authentication (RFC 7616, section 3.3).
struct DigestAlgorithm: Hashable {
    /// A hash function with the name that header fields have for it.
    enum Function: String {
        case md5 = "MD5"
        case sha256 = "SHA-256"
        case sha512T256 = "SHA-512-256"
    }

    let function: Function
    /// A Boolean value that indicates whether each session has its own key (the `-sess` variants).
    let isSession: Bool

    /// The name of the algorithm in header fields.
    var name: String { function.rawValue + (isSession ? "-sess" : "") }

    /// Creates an algorithm from its name in a header field; returns `nil` if it is not supported.
    ///
    /// - Parameter name: The name in any case; `nil` for MD5, the default of the protocol.
    init?(named name: String?) {
        var name = (name ?? "MD5").uppercased()
        isSession = name.hasSuffix("-SESS")
        if isSession { name.removeLast(5) }
        guard let function = Function(rawValue: name) else { return nil }
        self.function = function
    }

    /// Returns the hash of texts joined by colons, in lower-case hexadecimal.
    func hash(_ texts: String...) -> String {
        hash { update in update(Data(texts.joined(separator: ":").utf8)) }
    }

    /// Returns the hash of the data that a closure supplies, in lower-case hexadecimal.
    func hash<Failure: Error>(_ body: ((Data) -> Void) throws(Failure) -> Void) throws(Failure) -> String {
        switch function {
        case .md5: return try Self.hash(Insecure.MD5(), body)
        case .sha256: return try Self.hash(SHA256(), body)
        case .sha512T256:
            var function = SHA512T256()
            try body { data in function.update(data: data) }
            return function.finalize().hexadecimal
        }
    }

    private static func hash<Function: HashFunction, Failure: Error>(
        _ start: Function,
        _ body: ((Data) -> Void) throws(Failure) -> Void
    ) throws(Failure) -> String {
        var function = start
        try body { data in function.update(data: data) }
        return function.finalize().hexadecimal
    }
}

extension RequestBody {
    private static let chunkSize = 64 << 10

    /// Returns the hash of the body.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if a file cannot be read, or if the body is a stream.
    func hash(by algorithm: DigestAlgorithm) throws(NetworkError) -> String {
        switch self {
        case .none: return algorithm.hash("")
        case .data(let data): return algorithm.hash { update in update(data) }
        case .stream: throw .invalidRequest("a stream cannot be read before it is sent")
        case .file(let file):
            do {
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                return try algorithm.hash { update in
                    while let chunk = try handle.read(upToCount: Self.chunkSize), !chunk.isEmpty { update(chunk) }
                }
            } catch {
                let reason = "the file \(file.path) cannot be read: \(error.localizedDescription)"
                throw .invalidRequest(NetworkFailure(reason, underlying: error))
            }
        }
    }
}
