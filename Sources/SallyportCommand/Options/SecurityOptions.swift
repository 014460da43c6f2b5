import ArgumentParser
import Foundation
import NIOSSL
import Sallyport

/// The options for TLS: trusted authorities, client certificate and key log.
struct SecurityOptions: ParsableArguments {
    @Option(name: .customLong("cacert"), help: .cacert, completion: .file())
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
            """
            Append the keys of every TLS connection to a file in the format of SSLKEYLOGFILE. Anyone with the file can \
            decrypt the connections.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var keyLog: String?

    @Flag(
        help: ArgumentHelp(
            "Do not verify the server's certificate: anyone on the network can then read and change the traffic.",
            discussion: "It cannot be used with --auth, --pin, --cacert or --cache. A warning is printed."
        )
    )
    var insecure = false

    func validate() throws {
        if insecure, authorities != nil {
            throw ValidationError("--insecure cannot be used with --cacert; omit --insecure to verify the server.")
        }
        if (certificate == nil) != (key == nil) { throw ValidationError("--cert and --key must be used together.") }
    }

    /// Returns the settings of TLS connections.
    ///
    /// - Throws: A failure that names a file that cannot be used.
    func transportSecurity() throws(CommandFailure) -> TransportSecurity {
        var identity: (certificate: String, key: String)?
        if let certificate, let key { identity = (certificate, key) }
        var security = try TransportSecurity(authorities: authorities, identity: identity, keyLog: keyLog)
        security.acceptsUnverifiedServers = insecure
        return security
    }

    /// Warns that the server is not verified, if it is not.
    ///
    /// - Parameter url: A URL of the server.
    func warnIfInsecure(for url: String) {
        guard insecure, url.lowercased().hasPrefix("https:") else { return }
        StandardError.print(
            "sallyport: warning: the certificate of the server is not verified (--insecure); anyone on the network can read "
                + "and change what is sent and received"
        )
    }
}

extension ArgumentHelp {
    /// The help for the option `--cacert`.
    static let cacert = ArgumentHelp(
        "Trust only the authorities in a file of PEM certificates.",
        valueName: "file"
    )
}

extension TransportSecurity {
    /// Creates settings from the paths of PEM files. Each file is read to check it before anything is sent.
    ///
    /// - Parameters:
    ///   - authorities: The only authorities to trust; `nil` to trust the system's authorities.
    ///   - identity: The client certificate and its private key.
    ///   - keyLog: The file that receives the keys of all connections.
    /// - Throws: A failure that names a file that cannot be used.
    init(
        authorities: String?,
        identity: (certificate: String, key: String)? = nil,
        keyLog: String? = nil
    ) throws(CommandFailure) {
        self.init()
        keyLogFile = keyLog.map { URL(fileURLWithPath: $0) }
        if let authorities {
            try Self.check(authorities, .authorityFile, "PEM certificate") {
                try NIOSSLCertificate.fromPEMFile($0).count
            }
            trustRoots = .file(URL(fileURLWithPath: authorities))
        }
        if let identity {
            try Self.check(identity.certificate, .clientCertificate, "PEM certificate") {
                try NIOSSLCertificate.fromPEMFile($0).count
            }
            try Self.check(identity.key, .clientCertificate, "unencrypted PEM private key") {
                _ = try NIOSSLPrivateKey(file: $0, format: .pem)
                return 1
            }
            try Self.checkPair(identity)
            clientIdentity = ClientIdentity(
                certificateFile: URL(fileURLWithPath: identity.certificate),
                keyFile: URL(fileURLWithPath: identity.key)
            )
        }
    }

    private static func checkPair(_ identity: (certificate: String, key: String)) throws(CommandFailure) {
        var tls = TLSConfiguration.makeClientConfiguration()
        do {
            tls.certificateChain = try NIOSSLCertificate.fromPEMFile(identity.certificate).map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: identity.key, format: .pem))
            _ = try NIOSSLContext(configuration: tls)
        } catch {
            throw CommandFailure(
                .clientCertificate,
                "the key in \(identity.key) does not belong to the certificate in \(identity.certificate)"
            )
        }
    }

    private static func check(
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
            throw CommandFailure(status, "the file \(path) contains no \(content) that can be read")
        }
    }
}
