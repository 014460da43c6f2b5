import ArgumentParser
import Foundation
import Sallyport

/// The credentials for the server of the URL, or the profile of a login.
struct CredentialOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Credentials for the server of the URL. Without a colon, the password is asked for at the terminal.",
            valueName: "name[:password]"
        )
    )
    var user: String?

    @Flag(help: "Take the credentials for the server from the file .netrc in the home directory.")
    var netrc = false

    @Option(
        help: ArgumentHelp(
            "Take the credentials for the server from a file in the format of .netrc, which nobody else may read.",
            valueName: "file"
        ),
        completion: .file()
    )
    var netrcFile: String?

    @Option(
        help: ArgumentHelp(
            "Send the Bearer token in a file, or on standard input (-), to the server.",
            valueName: "file"
        ),
        completion: .file()
    )
    var bearerFile: String?

    @Option(
        help: ArgumentHelp(
            "Call as who has signed in with sallyport login: --auth=name, or --auth alone for SALLYPORT_PROFILE or default.",
            valueName: "profile"
        )
    )
    var auth: ProfileName?

    func validate() throws {
        if given.count > 1 { throw ValidationError("Only one of \(given[0]) and \(given[1]) can be used.") }
    }

    /// The options that were given.
    private var given: [String] {
        let options = [
            ("--auth", auth != nil), ("--user", user != nil), ("--netrc", netrc), ("--netrc-file", netrcFile != nil),
            ("--bearer-file", bearerFile != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    /// The option with credentials that are not those of a login, if one was given.
    var option: String? { given.first { $0 != "--auth" } }

    /// The options that read standard input.
    var standardInputUses: [String] { bearerFile == "-" ? ["--bearer-file"] : [] }

    /// Returns the credentials for the servers of some URLs. It reads files, and asks for a password at the terminal.
    ///
    /// - Parameters:
    ///   - scheme: The option that chooses how a name and a password are used, if one was given.
    ///   - isAsking: If `true`, a password that was not given is asked for.
    /// - Throws: ``CommandFailure`` for credentials that cannot be read, are given twice, or differ for one server.
    func credentials(
        for addresses: [RequestURL],
        scheme: String?,
        isAsking: Bool = true
    ) async throws -> [ServerCredentials] {
        var credentials: [ServerCredentials] = []
        if let named = addresses.first(where: { $0.user != nil }), let option = given.first {
            throw CommandFailure(.usage, "the URL \(named.text) names a user, and so does \(option): give one of them")
        }
        var users: [Origin: UserAndPassword] = [:]
        for address in addresses {
            guard let user = address.user else { continue }
            let origin = try Self.origin(of: address)
            guard let other = users.updateValue(user, forKey: origin) else {
                credentials.append(ServerCredentials(url: address.text, secret: .password(user)))
                continue
            }
            if other == user { continue }
            throw CommandFailure(
                .usage,
                """
                two URLs of \(origin) name different users or passwords, and a command uses one of each for a server; call \
                them one after the other
                """
            )
        }
        if let url = addresses.first?.text {
            if let user {
                try checkOneServer(addresses)
                credentials.append(ServerCredentials(url: url, secret: .password(UserAndPassword(user))))
            } else if let bearerFile {
                try checkOneServer(addresses)
                let token = try await SecretInput.text(bearerFile, what: "token")
                credentials.append(try ServerCredentials(url: url, token: token))
            } else if netrc || netrcFile != nil {
                let path = netrcFile ?? UserFolders.home().appendingPathComponent(".netrc").path
                let file = try await BlockingCall.run { try NetrcFile(at: path) }
                credentials += try addresses.map { address in
                    ServerCredentials(url: address.text, secret: .password(try file.credentials(for: address.text)))
                }
            }
        }
        if let scheme, !credentials.contains(where: \.isPassword) {
            throw CommandFailure(.usage, "\(scheme) needs a name and a password: give them with --user")
        }
        if isAsking {
            for index in credentials.indices { try await credentials[index].askForPassword() }
        }
        return credentials
    }

    private static func origin(of address: RequestURL) throws(NetworkError) -> Origin {
        try Origin(of: HttpRequest(url: address.text).head())
    }

    private func checkOneServer(_ addresses: [RequestURL]) throws {
        let origins = try Set(addresses.map { try Self.origin(of: $0) })
        guard origins.count > 1, let option else { return }
        throw CommandFailure(
            .usage,
            "\(option) is for one server, and the URLs are of \(origins.count); call them one after the other"
        )
    }
}
