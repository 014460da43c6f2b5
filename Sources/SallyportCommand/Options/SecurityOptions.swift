import ArgumentParser
import Foundation
import NIOSSL
import Sallyport

/// Whom to trust over TLS, and as whom to appear.
struct SecurityOptions: ParsableArguments {
    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp("Trust the authorities in a file of PEM certificates, and no others.", valueName: "file"),
        completion: .file()
    )
    var authorities: String?

    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp("A client certificate in PEM; needs --key.", valueName: "file"),
        completion: .file()
    )
    var certificate: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The private key of the client certificate, in PEM and unencrypted.", valueName: "file"),
        completion: .file()
    )
    var key: String?

    @Option(
        name: .customLong("key-log"),
        help: ArgumentHelp(
            "Append the keys of every TLS connection to a file, as SSLKEYLOGFILE has them: who reads it reads all.",
            valueName: "file"
        ),
        completion: .file()
    )
    var keyLog: String?

    func validate() throws {
        if (certificate == nil) != (key == nil) { throw ValidationError("--cert and --key go together.") }
    }

    /// Reads all files once, so that one that cannot be used is known before anything is sent.
    func transportSecurity() throws(CommandFailure) -> TransportSecurity {
        var security = TransportSecurity()
        security.keyLogFile = keyLog.map { URL(fileURLWithPath: $0) }
        if let authorities {
            try check(authorities, .authorityFile, "PEM certificate") { try NIOSSLCertificate.fromPEMFile($0).count }
            security.trustRoots = .file(URL(fileURLWithPath: authorities))
        }
        if let certificate, let key {
            try check(certificate, .clientCertificate, "PEM certificate") {
                try NIOSSLCertificate.fromPEMFile($0).count
            }
            try check(key, .clientCertificate, "unencrypted PEM private key") {
                _ = try NIOSSLPrivateKey(file: $0, format: .pem)
                return 1
            }
            try checkPair(certificate, key)
            security.clientIdentity = TransportSecurity.ClientIdentity(
                certificateFile: URL(fileURLWithPath: certificate),
                keyFile: URL(fileURLWithPath: key)
            )
        }
        return security
    }

    private func checkPair(_ certificate: String, _ key: String) throws(CommandFailure) {
        var tls = TLSConfiguration.makeClientConfiguration()
        do {
            tls.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
            _ = try NIOSSLContext(configuration: tls)
        } catch {
            throw CommandFailure(
                .clientCertificate,
                "the key in \(key) is not that of the certificate in \(certificate)"
            )
        }
    }

    private func check(
        _ path: String,
        _ status: ExitStatus,
        _ content: String,
        count: (String) throws -> Int
    ) throws(CommandFailure) {
        do {
            _ = try InputFile(path)
        } catch {
            throw CommandFailure(status, error.message)
        }
        guard let count = try? count(path), count > 0 else {
            throw CommandFailure(status, "the file \(path) has no \(content) that can be read")
        }
    }
}
