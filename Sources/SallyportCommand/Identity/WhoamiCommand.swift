import ArgumentParser
import Foundation
import SallyportJOSE

/// Prints the claims of the signed-in user.
struct WhoamiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Prints the server's information about the signed-in user as JSON."
    )

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let name = try profile.name()
        try await Interruption.cancelOnSignal {
            let session = try ProfileSession.load(name)
            let tokens = try await session.tokens()
            print(try TokenText.json(try await session.client.userInfo(tokens).claims))
        }
    }
}

/// Asks the server whether a token is valid (RFC 7662).
struct IntrospectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "introspect",
        abstract: "Asks the server whether a token is valid, and prints the response as JSON.",
        discussion: "Most servers require a client with a secret."
    )

    @Option(
        help: ArgumentHelp(
            "The token: a file, or - for standard input. (default: the profile's access token)",
            valueName: "file"
        ),
        completion: .file()
    )
    var token: String?

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, token) = (try profile.name(), token)
        try await Interruption.cancelOnSignal {
            let session = try ProfileSession.load(name)
            let introspection = try await session.client.introspect(try await Self.text(token, session))
            print(try TokenText.json(introspection.members))
        }
    }

    private static func text(_ path: String?, _ session: ProfileSession) async throws -> String {
        guard let path else { return try await session.storedTokens().accessToken }
        return try await SecretInput.text(path, kind: "token")
    }
}
