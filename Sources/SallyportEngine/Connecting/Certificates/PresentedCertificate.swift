import SallyportStorage
import SallyportTransport
import SwiftASN1
import X509

/// A certificate that a server sent, parsed as far as possible.
enum PresentedCertificate: Sendable {
    case readable(Certificate)
    /// A certificate whose RSA key is too short.
    case weak(CertificateFields, bits: Int)
    case unreadable(CertificateFields)
    case garbage

    /// The minimum length of an RSA key (CA/Browser Forum, Baseline Requirements, section 6.1.5).
    static let minimumRSAKeyBits = 2048

    init(_ der: [UInt8]) {
        guard let fields = CertificateFields(der: der) else {
            self = .garbage
            return
        }
        if let bits = fields.rsaKeyBits, bits < Self.minimumRSAKeyBits {
            self = .weak(fields, bits: bits)
        } else if let certificate = try? Certificate(derEncoded: der) {
            self = .readable(certificate)
        } else {
            self = .unreadable(fields)
        }
    }

    /// Returns the certificate.
    ///
    /// - Throws: A refusal if the certificate cannot be used.
    func get() throws(CertificateRefusal) -> Certificate {
        switch self {
        case .readable(let certificate): return certificate
        case .weak(_, let bits): throw .weakKey(bits: bits)
        case .unreadable, .garbage: throw .unreadable
        }
    }

    /// Returns a Boolean value that indicates whether the certificate has a subject but cannot be used.
    func isUnusable(named subject: DistinguishedName) -> Bool {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(subject)) != nil else { return false }
        switch self {
        case .weak(let fields, _), .unreadable(let fields):
            return fields.subject.elementsEqual(serializer.serializedBytes)
        case .readable, .garbage: return false
        }
    }
}

/// The certificates that a server sent in addition to its own, from which a chain is built.
///
/// The store returns at most a hundred certificates in total: otherwise, crafted certificates could make the search
/// endless.
struct PresentedStore: CustomCertificateStore {
    private var certificates: [Certificate]
    private let left = Locked(100)

    init(_ certificates: [Certificate]) {
        self.certificates = certificates
    }

    subscript(subject: DistinguishedName) -> [Certificate]? {
        let found = certificates.filter { $0.subject == subject }
        let allowed = left.withLock { left in
            defer { left -= min(left, found.count) }
            return left
        }
        return found.isEmpty ? nil : Array(found.prefix(allowed))
    }

    func contains(_ certificate: Certificate) -> Bool { certificates.contains(certificate) }

    mutating func append(contentsOf certificates: some Sequence<Certificate>) {
        self.certificates.append(contentsOf: certificates)
    }

    static func == (first: PresentedStore, second: PresentedStore) -> Bool {
        first.certificates == second.certificates
    }

    func hash(into hasher: inout Hasher) { hasher.combine(certificates) }
}
