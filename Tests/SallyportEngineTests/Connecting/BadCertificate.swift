import Foundation
import SwiftASN1
import TestSupport
import Testing
import X509

/// A server's certificate with one defect, and the text of the expected error.
struct BadCertificate: Sendable, CustomTestStringConvertible {
    /// The certificates of a server, and the trust roots of its client.
    struct Case {
        var identity: TestAuthority.Identity
        var trusted: String
    }

    let testDescription: String
    let reason: String
    let make: @Sendable () throws -> Case

    private init(_ name: String, _ reason: String, make: @escaping @Sendable (TestAuthority) throws -> Case) {
        testDescription = name
        self.reason = reason
        self.make = { try make(TestAuthority()) }
    }

    /// Creates a case that differs in the server's own certificate only.
    private static func server(
        _ name: String,
        _ reason: String,
        change: @escaping @Sendable (inout TestCertificate) -> Void
    ) -> BadCertificate {
        BadCertificate(name, reason) { root in
            Case(identity: try root.serverIdentity { change(&$0) }, trusted: root.certificatePEM)
        }
    }

    /// Creates a case that differs in the certificate of the issuing intermediate.
    private static func intermediate(
        _ name: String,
        _ reason: String,
        change: @escaping @Sendable (inout TestCertificate) -> Void
    ) -> BadCertificate {
        BadCertificate(name, reason) { root in
            let identity = try root.intermediate { change(&$0) }.serverIdentity()
            return Case(identity: identity, trusted: root.certificatePEM)
        }
    }

    private static let past = Date(timeIntervalSince1970: 1_700_000_000)
    private static let future = Date(timeIntervalSince1970: 4_000_000_000)
    private static let authority = "of the authority \"Sallyport test intermediate\", in the chain of localhost,"

    static let all: [BadCertificate] = [
        server("expired", "the certificate of localhost expired on 2023-11-14T22:13:20Z") {
            $0.notBefore = past - 1000
            $0.notAfter = past
        },
        server("not yet valid", "the certificate of localhost is not valid before 2096-10-02T07:06:40Z") {
            $0.notBefore = future
            $0.notAfter = future + 1000
        },
        server("wrong host", "the certificate of localhost is for other names: other.test, 127.0.0.9") {
            $0.hosts = ["other.test"]
            $0.addresses = [[127, 0, 0, 9]]
        },
        server("bare wildcard", "the certificate of localhost is for other names: *, 127.0.0.8") {
            $0.hosts = ["*"]
            $0.addresses = [[127, 0, 0, 8]]
        },
        server("wildcard as a part of a label", "the certificate of localhost is for other names: l*t, *host") {
            $0.hosts = ["l*t", "*host"]
            $0.addresses = []
        },
        server(
            "name only in CN",
            "the certificate of localhost has no subject alternative name but only a common name, \"localhost\", which is not used"
        ) {
            $0.name = "localhost"
            $0.hosts = []
            $0.addresses = []
        },
        BadCertificate("self-signed", "the certificate of localhost is self-signed") { root in
            Case(identity: try TestAuthority.selfSignedIdentity(), trusted: root.certificatePEM)
        },
        BadCertificate(
            "unknown root, which the server sends",
            "the certificate of localhost was issued by the authority \"Unknown root\", which is not trusted"
        ) { root in
            let other = try TestAuthority(name: "Unknown root")
            var identity = try other.serverIdentity()
            identity.othersPEM = [other.certificatePEM]
            return Case(identity: identity, trusted: root.certificatePEM)
        },
        BadCertificate(
            "unknown root, which the server does not send",
            "was issued by \"Unknown root\", whose certificate the server did not send and which is not a trusted authority"
        ) { root in
            Case(identity: try TestAuthority(name: "Unknown root").serverIdentity(), trusted: root.certificatePEM)
        },
        BadCertificate(
            "namesake of a root",
            "the certificate of localhost is not signed by the key of its issuer \"Sallyport test authority\""
        ) { root in
            Case(identity: try TestAuthority().serverIdentity(), trusted: root.certificatePEM)
        },
        BadCertificate(
            "missing intermediate",
            "the certificate of localhost was issued by \"Sallyport test intermediate\", whose certificate the server did not send"
        ) { root in
            var identity = try root.intermediate().serverIdentity()
            identity.othersPEM = []
            return Case(identity: identity, trusted: root.certificatePEM)
        },
        intermediate("expired CA", "the certificate \(authority) expired on 2023-11-14T22:13:20Z") {
            intermediate in
            intermediate.notBefore = past - 1000
            intermediate.notAfter = past
        },
        intermediate(
            "name-constraint violation",
            "is not for names that the authority \"Sallyport test intermediate\" is allowed to issue certificates for"
        ) { intermediate in
            intermediate.permittedHosts = ["allowed.test"]
        },
        intermediate("leaf as CA", "the certificate \(authority) does not allow it to issue certificates") {
            intermediate in
            intermediate.isAuthority = false
        },
        BadCertificate(
            "authority too far below",
            "the certificate of the authority \"Upper\", in the chain of localhost, does not allow so many authorities below it"
        ) { root in
            let upper = try root.intermediate(name: "Upper") { $0.pathLength = 0 }
            return Case(identity: try upper.intermediate().serverIdentity(), trusted: root.certificatePEM)
        },
        server("client-auth EKU", "the certificate of localhost is for clientAuth, not for servers") {
            $0.usages = [.clientAuth]
        },
        intermediate("intermediate for clients", "the certificate \(authority) is for clientAuth, not for servers") {
            intermediate in
            intermediate.usages = [.clientAuth]
        },
        server("authority as server", "the certificate of localhost belongs to an authority, not to a server") {
            $0.isAuthority = true
        },
        server("RSA 1024", "the certificate of localhost has an RSA key of 1024 bits, which is too weak") {
            $0.rsaKeyPEM = weakKey
        },
        server(
            "unknown critical extension",
            "the certificate of localhost has an unknown critical extension, 1.3.6.1.4.1.32473.1"
        ) {
            $0.strangeExtension = Certificate.Extension(
                oid: [1, 3, 6, 1, 4, 1, 32473, 1],
                critical: true,
                value: [5, 0]
            )
        },
    ]

    /// A private key that was created for this test and is used nowhere else.
    static let weakKey = """
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAOFbQKb5XYOaUEKb
        OkRJFN+vefdS3KAzG/r0/agPOq/N7uMhhOs4vevNpiOfnjvgXMrG4x4kQG875SXQ
        YluHKSiMf2SODzKtjdICgHd04c6eAKbT/ZWUz3Y4x3yRL52t9U3H5M9jn7N3yt5w
        GaZdG1zpjaRvLXIr2uuP19s9ZJYHAgMBAAECgYEAn/pjvyUvGYmmiGIhzvACfXjY
        oJaWQLOHnXPlzjRheQQ8HclhzooNaSQoWQmrDt6LgPgHqxIZG93tIhb4e/lLYURa
        jXHcomT5w0FEr511EGF3ueBNLq+PA/cwsl6KhOuEIOmgizPzKDQ2T7yIiuJZkyt2
        sij+ywV3NkKRhhF42IECQQD7dskNj2+r3u80Yx6qXdrmBhc/A1nwYputyd16lfzJ
        Z6fTbxKuLm7pjEC4Fqw/2BwWIkSugFjkYq8vrrqQ4XhXAkEA5WvoRWPwg8MiT0rh
        hz+qm+pMifSgPyAKeAlM3NGPKdXiGVdFQcnFDele/wlt3ytoapjLRh5Rn6yOMxXG
        908B0QJBALYrDmmhcJ/NB/Mmn0+CYJLk9LA0iFJJzUfwBl/JCnEJg537SEgg4T6V
        2UjDPBOgRnCOcL0Nw9fn2cusRAGzJU8CQDLsf9MfOtzUbIIzOdo+jI0tNa4NiaBZ
        aVl5nwEI1wFPQ2+iinHu6nmLCpYLrsKxrOy0W7KFulJ6B9pZBCAS/nECQBpwuJHB
        SSsjCABFM9dPL71/YfOaW6BJeU39GLt7MJGC8tKj6HNQFWrp715nd2i4B5Zd0/Ln
        8igUb00CqezixPU=
        -----END PRIVATE KEY-----
        """
}
