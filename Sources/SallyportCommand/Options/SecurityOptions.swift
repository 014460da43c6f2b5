import ArgumentParser
import Foundation
import NIOSSL
import Sallyport
import SallyportEngine

/// The options for TLS: trusted authorities, client certificate and key log.
struct SecurityOptions: ParsableArguments {
    @Option(name: .customLong("cacert"), help: .cacert, completion: .file())
    var authorities: String?

    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp(
            "A client certificate: a PEM file, or a PKCS #12 file (.p12, .pfx) with its private key.",
            valueName: "file"
        ),
        completion: .file()
    )
    var certificate: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "The private key of the client certificate in PEM, if it is not in the file of --cert.",
            valueName: "file"
        ),
        completion: .file()
    )
    var key: String?

    @Option(
        name: .customLong("key-password-file"),
        help: ArgumentHelp(
            """
            The password of an encrypted private key or PKCS #12 file, in a file or on standard input (-). (default: \
            SALLYPORT_KEY_PASSWORD, or the command asks for it at the terminal)
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var keyPasswordFile: String?

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
        let options = [("--key", key), ("--key-password-file", keyPasswordFile)]
        if certificate == nil, let (option, _) = options.first(where: { $0.1 != nil }) {
            throw ValidationError("\(option) needs --cert with the client certificate.")
        }
    }

    /// The options that read standard input.
    var standardInputUses: [String] { keyPasswordFile == "-" ? ["--key-password-file"] : [] }

    /// Returns the settings of TLS connections. Each file is read to check it before anything is sent.
    ///
    /// - Parameters:
    ///   - profile: The profile whose authorities are trusted without `--cacert`; `nil` for the authorities of the system.
    ///   - asksForPassword: If `true`, asks for a missing password of a private key. Otherwise, the settings lack it.
    /// - Throws: ``CommandFailure`` for a file that cannot be used; `CancellationError`.
    func transportSecurity(
        profile: ProfileName? = nil,
        asksForPassword: Bool = true
    ) async throws -> TransportSecurity {
        var authorities = authorities
        if authorities == nil, let profile { authorities = try ProfileFolder().load(profile).authorities }
        var security = try TransportSecurity(authorities: authorities, keyLog: keyLog)
        security.clientIdentity = try await clientIdentity(asksForPassword: asksForPassword)
        security.acceptsUnverifiedServers = insecure
        return security
    }

    private func clientIdentity(asksForPassword: Bool) async throws -> TransportSecurity.ClientIdentity? {
        guard let certificate else { return nil }
        for file in [certificate, key].compactMap({ $0 }) { try TransportSecurity.check(file, .clientCertificate) }
        let file = URL(fileURLWithPath: certificate)
        var identity: TransportSecurity.ClientIdentity
        if try isPKCS12(certificate) {
            if let key {
                let reason = "\(certificate) is a PKCS #12 file, which contains the private key; omit --key \(key)"
                throw CommandFailure(.usage, reason)
            }
            identity = .init(pkcs12File: file)
        } else {
            identity = .init(certificateFile: file, keyFile: key.map { URL(fileURLWithPath: $0) } ?? file)
        }
        identity.password = try await storedPassword()
        do throws(ClientCertificate.Problem) {
            _ = try ClientCertificate(identity)
        } catch {
            if error.kind == .noKey, key == nil {
                throw Self.failure(error, advice: "; specify the file with the private key with --key")
            }
            guard error.kind == .passwordMissing else { throw Self.failure(error) }
            if !asksForPassword { return identity }
            identity.password = try await PasswordPrompt.password(ofFile: error.file)
            do throws(ClientCertificate.Problem) {
                _ = try ClientCertificate(identity)
            } catch {
                throw Self.failure(error)
            }
        }
        return identity
    }

    /// Returns the password of the private key in a file or the environment; `nil` if there is none.
    private func storedPassword() async throws -> String? {
        if let keyPasswordFile { return try await SecretInput.text(keyPasswordFile, kind: "password") }
        let password = ProcessInfo.processInfo.environment["SALLYPORT_KEY_PASSWORD"] ?? ""
        return password.isEmpty ? nil : password
    }

    private func isPKCS12(_ path: String) throws -> Bool {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        return PKCS12File.isLikely(try file.read(upToCount: 1) ?? Data())
    }

    private static func failure(_ problem: ClientCertificate.Problem, advice: String = "") -> CommandFailure {
        CommandFailure(.clientCertificate, "the file \(problem.file) \(problem.reason)\(advice)")
    }

    /// Returns curl's arguments for the client certificate.
    var curlArguments: [String] {
        guard let certificate else { return [] }
        let isPKCS12 = (try? isPKCS12(certificate)) == true
        return ["--cert", certificate] + (isPKCS12 ? ["--cert-type", "P12"] : []) + (key.map { ["--key", $0] } ?? [])
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
    /// Creates settings from the paths of files. Each file is read to check it before anything is sent.
    ///
    /// - Parameters:
    ///   - authorities: The only authorities to trust, in a PEM file; `nil` to trust the system's authorities.
    ///   - keyLog: The file that receives the keys of all connections.
    /// - Throws: A failure that names a file that cannot be used.
    init(authorities: String?, keyLog: String? = nil) throws(CommandFailure) {
        self.init()
        keyLogFile = keyLog.map { URL(fileURLWithPath: $0) }
        guard let authorities else { return }
        try Self.check(authorities, .authorityFile)
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(authorities), !certificates.isEmpty else {
            throw CommandFailure(
                .authorityFile,
                "the file \(authorities) contains no PEM certificate that can be read"
            )
        }
        trustRoots = .file(URL(fileURLWithPath: authorities))
    }

    /// Checks that a file can be read.
    fileprivate static func check(_ path: String, _ status: ExitStatus) throws(CommandFailure) {
        do throws(CommandFailure) {
            _ = try InputFile(path)
        } catch {
            throw CommandFailure(status, error.message)
        }
    }
}
