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
            """
            Do not verify the server's certificate: anyone on the network can then read and change the traffic. It cannot be used \
            with --auth, --pin, --cacert or --cache. A warning is printed.
            """
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
    ///   - profile: The profile whose authorities are trusted without `--cacert`; `nil` for the authorities of the environment or the
    ///     system.
    ///   - asksForPassword: If `true`, asks for a missing password of a private key. Otherwise, the settings lack it.
    /// - Throws: ``CommandFailure`` for a file that cannot be used; `CancellationError`.
    func transportSecurity(
        profile: ProfileName? = nil,
        asksForPassword: Bool = true
    ) async throws -> TransportSecurity {
        var authorities = authorities
        if authorities == nil, let profile { authorities = try ProfileFolder().load(profile).authorities }
        var security = insecure ? TransportSecurity() : try TransportSecurity(authorities: authorities)
        security.keyLogFile = keyLog.map { URL(fileURLWithPath: $0) }
        security.clientIdentity = try await clientIdentity(asksForPassword: asksForPassword)
        security.acceptsUnverifiedServers = insecure
        return security
    }

    private func clientIdentity(asksForPassword: Bool) async throws -> TransportSecurity.ClientIdentity? {
        guard let certificate else { return nil }
        // curl's form FILE:PASSWORD. The message does not quote the argument, which contains the password.
        if certificate.contains(":"), !FileManager.default.fileExists(atPath: certificate) {
            throw CommandFailure(
                .clientCertificate,
                "--cert needs only the name of a file, and there is no file with this name; use --key-password-file for a password"
            )
        }
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
    /// Creates settings that trust the authorities in a PEM file. The file is read to check it before anything is sent.
    ///
    /// - Parameter authorities: The file; `nil` for the file that `CURL_CA_BUNDLE` or `SSL_CERT_FILE` names, or else the
    ///   authorities of the system.
    /// - Throws: A failure with the path of a file that cannot be used. If an environment variable specifies the file, the failure also
    ///   contains the name of the variable.
    init(authorities: String?) throws(CommandFailure) {
        self.init()
        if let authorities {
            try trust(authorities)
        } else if let (variable, path) = Self.authoritiesInEnvironment() {
            do throws(CommandFailure) {
                try trust(path)
            } catch {
                let advice = "\(variable) names it; correct or unset the variable, or use --cacert FILE"
                throw CommandFailure(error.status, "\(error.message); \(advice)")
            }
        }
    }

    /// Returns the first variable that names a file of authorities, in curl's order, and the file.
    private static func authoritiesInEnvironment() -> (variable: String, path: String)? {
        for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
            if let value = getenv(name), value.pointee != 0 { return (name, String(cString: value)) }
        }
        return nil
    }

    /// Trusts only the authorities in a PEM file.
    private mutating func trust(_ path: String) throws(CommandFailure) {
        try Self.check(path, .authorityFile)
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw CommandFailure(.authorityFile, "the file \(path) contains no PEM certificate that can be read")
        }
        trustRoots = .file(URL(fileURLWithPath: path))
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
