import Foundation
import SallyportStorage
import SallyportTransport
import SwiftASN1
import X509

/// The trusted certificate authorities.
///
/// A bundle has more than a hundred authorities, and a handshake needs one of them. Each is parsed when it is first
/// needed.
struct TrustRoots: Sendable, Hashable {
    private var bySubject: [[UInt8]: [TrustRoot]] = [:]

    /// The maximum size of a file in bytes. The bundle of a system has less than 1 MiB.
    static let maximumFileSize = 16 << 20

    /// The trust roots of the system, loaded once per process.
    static let system: Result<TrustRoots, NetworkError> = {
        let bundles = [
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ]
        for bundle in bundles {
            if let roots = try? TrustRoots(file: bundle) { return .success(roots) }
        }
        return .failure(
            .invalidRequest(
                NetworkFailure(
                    "the system has no file of certificate authorities: none of \(bundles.joined(separator: ", "))",
                    advice: SettingAdvice.trustFile.rawValue
                )
            )
        )
    }()

    /// Loads trust roots.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for a file that cannot be used.
    init(_ source: TransportSecurity.TrustRoots) throws(NetworkError) {
        switch source {
        case .system: self = try Self.system.get()
        case .file(let url): try self.init(file: url.path)
        case .pem(let text): try self.init(pem: text, from: "given as text")
        }
    }

    private init(file path: String) throws(NetworkError) {
        let content: Data?
        do throws(FileSystemError) {
            content = try FileSystem.content(of: URL(fileURLWithPath: path), upTo: Self.maximumFileSize)
        } catch {
            throw .unusableCertificateFile(path, error.description)
        }
        guard let content else {
            let size = Quantity.size(Int64(Self.maximumFileSize))
            throw .unusableCertificateFile(path, "is longer than \(size), the maximum for authorities")
        }
        try self.init(pem: String(decoding: content, as: UTF8.self), from: path)
    }

    private init(pem: String, from name: String) throws(NetworkError) {
        for der in PEMCertificates(pem)?.der ?? [] {
            guard let fields = CertificateFields(der: der) else {
                throw .unusableCertificateFile(name, "has a block that is not a certificate")
            }
            bySubject[Array(fields.subject), default: []].append(TrustRoot(der))
        }
        if bySubject.isEmpty { throw .unusableCertificateFile(name, "has no PEM certificate that can be read") }
    }

    /// Returns the authorities with a subject that can be parsed and have a strong enough key.
    func named(_ subject: DistinguishedName) -> [Certificate] {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(subject)) != nil else { return [] }
        return bySubject[serializer.serializedBytes]?.compactMap(\.certificate) ?? []
    }
}

extension TrustRoots: CustomCertificateStore {
    subscript(subject: DistinguishedName) -> [Certificate]? {
        let found = named(subject)
        return found.isEmpty ? nil : found
    }

    func contains(_ certificate: Certificate) -> Bool { named(certificate.subject).contains(certificate) }

    mutating func append(contentsOf certificates: some Sequence<Certificate>) {
        for certificate in certificates {
            guard let der = certificate.der, let fields = CertificateFields(der: der) else { continue }
            bySubject[Array(fields.subject), default: []].append(TrustRoot(der))
        }
    }
}

/// An authority, parsed when it is first needed.
private final class TrustRoot: Sendable, Hashable {
    private let der: [UInt8]
    private let parsed = Locked<Certificate??>(nil)

    init(_ der: [UInt8]) {
        self.der = der
    }

    /// The certificate, or `nil` if it cannot be parsed or its key is too weak.
    var certificate: Certificate? {
        parsed.withLock { parsed in
            if let parsed { return parsed }
            let certificate = try? PresentedCertificate(der).get()
            parsed = .some(certificate)
            return certificate
        }
    }

    static func == (first: TrustRoot, second: TrustRoot) -> Bool { first.der == second.der }

    func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension NetworkError {
    /// Returns the error for a certificate file that cannot be used.
    static func unusableCertificateFile(_ name: String, _ reason: String) -> NetworkError {
        .invalidRequest(NetworkFailure("the certificate file \(name) \(reason)", advice: "use a file in PEM format"))
    }
}
