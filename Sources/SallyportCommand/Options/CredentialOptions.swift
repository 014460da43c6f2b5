import ArgumentParser
import Foundation
import Sallyport
import SallyportStorage

/// The credentials for the server of the URL, or the profile of a login.
struct CredentialOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Credentials for the server of the URL, instead of those in the URL or a netrc file. Without a colon, the password is \
            that in SALLYPORT_PASSWORD, or the command asks for it at the terminal.
            """,
            valueName: "name[:password]"
        )
    )
    var user: String?

    @Flag(help: "Read the credentials for the server from .netrc in the home directory.")
    var netrc = false

    @Option(
        help: ArgumentHelp(
            "Read the credentials for the server from a file in the format of .netrc that only you can read, instead of .netrc.",
            valueName: "file"
        ),
        completion: .file()
    )
    var netrcFile: String?

    @Option(
        help: ArgumentHelp(
            "Send the Bearer token from a file, or from standard input (-), to the server.",
            valueName: "file"
        ),
        completion: .file()
    )
    var bearerFile: String?

    @Option(
        help: ArgumentHelp(
            """
            Send the access token of a login: --auth=name, or --auth for the profile in SALLYPORT_PROFILE or default. Without \
            --cacert, the authorities of the login are trusted.
            """,
            valueName: "profile"
        )
    )
    var auth: ProfileName?

    func validate() throws {
        if user?.isEmpty == true {
            throw ValidationError("--user needs a name; write : for an empty name and password.")
        }
        // As in curl, --user takes precedence over netrc files, and --netrc-file over --netrc.
        let exclusive = usedOptions.filter { user == nil || !["--netrc", "--netrc-file"].contains($0) }
        if exclusive.count > 1, exclusive != ["--netrc", "--netrc-file"] {
            throw ValidationError("Only one of \(exclusive[0]) and \(exclusive[1]) can be used.")
        }
    }

    /// The names of the options with credentials that were used.
    private var usedOptions: [String] {
        let options = [
            ("--auth", auth != nil), ("--user", user != nil), ("--netrc", netrc), ("--netrc-file", netrcFile != nil),
            ("--bearer-file", bearerFile != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    /// The option with credentials that do not come from a login, if one was used.
    var option: String? { usedOptions.first { $0 != "--auth" } }

    /// The options that read standard input.
    var standardInputUses: [String] { bearerFile == "-" ? ["--bearer-file"] : [] }

    /// Returns the credentials for the servers of some URLs. Reads files, and asks for a password at the terminal.
    ///
    /// - Parameters:
    ///   - scheme: The option that selects the authentication scheme, if one was used.
    ///   - asksForPassword: If `true`, asks for a missing password.
    /// - Throws: ``CommandFailure`` for credentials that cannot be read, are specified twice, or differ for one server.
    func credentials(
        for addresses: [RequestURL],
        scheme: String?,
        asksForPassword: Bool = true
    ) async throws -> [ServerCredentials] {
        var credentials: [ServerCredentials] = []
        if user == nil, let named = addresses.first(where: { $0.user != nil }), let option = usedOptions.first {
            throw CommandFailure(.usage, "both the URL \(named.text) and \(option) specify a user; use one of them")
        }
        var users: [Origin: UserAndPassword] = [:]
        for address in addresses {
            // As in curl, --user takes precedence.
            guard self.user == nil, let user = address.user else { continue }
            let origin = try Self.origin(of: address)
            guard let other = users.updateValue(user, forKey: origin) else {
                credentials.append(ServerCredentials(url: address.text, secret: .password(user)))
                continue
            }
            if other == user { continue }
            throw CommandFailure(
                .usage,
                """
                two URLs of \(origin) specify different users or passwords, but a command uses one user for each server; \
                run a command for each URL
                """
            )
        }
        if let url = addresses.first?.text {
            if let user {
                try checkOneServer(addresses)
                var secret = UserAndPassword(user)
                // Not for users in URLs, which may be of several servers.
                if secret.password == nil, asksForPassword { secret.password = Self.passwordInEnvironment }
                credentials.append(ServerCredentials(url: url, secret: .password(secret)))
            } else if let bearerFile {
                try checkOneServer(addresses)
                let token = try await SecretInput.text(bearerFile, kind: "token")
                credentials.append(try ServerCredentials(url: url, token: token))
            } else if netrc || netrcFile != nil {
                let path = netrcFile ?? UserFolders.home().appendingPathComponent(".netrc").path
                let file = try await runAbandonable { try NetrcFile(at: path) }
                credentials += try addresses.map { address in
                    ServerCredentials(url: address.text, secret: .password(try file.credentials(for: address.text)))
                }
            }
        }
        if let scheme, !credentials.contains(where: \.isPassword) {
            throw CommandFailure(.usage, "\(scheme) needs a user and a password; specify them with --user")
        }
        if asksForPassword {
            for index in credentials.indices { try await credentials[index].askForPassword() }
        }
        return credentials
    }

    private static var passwordInEnvironment: String? {
        let password = ProcessInfo.processInfo.environment["SALLYPORT_PASSWORD"] ?? ""
        return password.isEmpty ? nil : password
    }

    private static func origin(of address: RequestURL) throws(NetworkError) -> Origin {
        try Origin(of: HttpRequest(url: address.text).head())
    }

    private func checkOneServer(_ addresses: [RequestURL]) throws {
        let origins = try Set(addresses.map { try Self.origin(of: $0) })
        guard origins.count > 1, let option else { return }
        throw CommandFailure(
            .usage,
            "\(option) applies to one server, but the URLs are of \(origins.count) servers; run a command for each server"
        )
    }
}
