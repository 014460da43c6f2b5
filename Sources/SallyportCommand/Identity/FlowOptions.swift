import ArgumentParser
import Foundation

/// The options for the flow of a login.
struct FlowOptions: ParsableArguments {
    @Option(help: "The flow of the login. (default: the flow of the previous login, or browser)")
    var flow: Profile.Flow?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An additional parameter of the authorization request, such as prompt=login. (repeatable)",
            valueName: "name=value"
        ),
        transform: NameAndValue.init
    )
    var parameter: [NameAndValue] = []

    @Option(
        help: ArgumentHelp(
            """
            The exact redirect URI, if the server requires one. With --journey it can have any form, because nothing is sent \
            there. (default: a free port, and /callback)
            """,
            valueName: "http://127.0.0.1:port/path"
        )
    )
    var redirectURI: String?

    @Option(
        help: ArgumentHelp(
            "The token to exchange (--flow exchange): a file, or - for standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var subjectToken: String?

    @Option(help: ArgumentHelp("The time limit for signing in. (default: 300)", valueName: "seconds"))
    var timeout: Double?

    /// The time limit for signing in, in seconds.
    var timeLimit: Double { timeout ?? 300 }

    /// The address to which the browser returns.
    var loopbackAddress: LoopbackAddress {
        redirectURI.flatMap(LoopbackAddress.init) ?? LoopbackAddress(port: 0, path: "/callback")
    }

    func validate() throws {
        if !(timeLimit > 0 && timeLimit < 1e6) { throw ValidationError("--timeout needs a number greater than zero.") }
    }

    /// Refuses options that do not match the flow, which may come from a previous login.
    func check(for profile: Profile) throws(CommandFailure) {
        switch (profile.flow, subjectToken) {
        case (.exchange, nil):
            throw CommandFailure(.usage, "--flow exchange needs a token to exchange; specify it with --subject-token")
        case (.exchange, _?): break
        case (_, _?): throw CommandFailure(.usage, "--subject-token needs --flow exchange")
        case (.clientCredentials, nil) where profile.authentication.method == "none":
            throw CommandFailure(
                .usage,
                "--flow client-credentials needs the client's secret; specify it with --client-secret-file or --private-key"
            )
        default: break
        }
        if let redirectURI, profile.flow != .journey, LoopbackAddress(redirectURI) == nil {
            throw CommandFailure(
                .usage,
                "--redirect-uri needs the form http://127.0.0.1:port/path, except with --journey"
            )
        }
    }
}

extension Profile.Flow: ExpressibleByArgument {}

/// A loopback redirect URI (RFC 8252, section 7.3).
struct LoopbackAddress {
    let port: Int
    let path: String

    init(port: Int, path: String) {
        self.port = port
        self.path = path
    }

    /// Returns `nil` for any URI but `http` with the host 127.0.0.1, a port, and neither user nor query nor fragment.
    init?(_ uri: String) {
        guard let parts = URLComponents(string: uri), parts.scheme == "http", parts.host == "127.0.0.1",
            parts.user == nil, parts.query == nil, parts.fragment == nil, let port = parts.port,
            (1...65_535).contains(port)
        else { return nil }
        self.init(port: port, path: parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
    }
}
