import ArgumentParser
import Foundation

/// Asks the server about a token.
struct IntrospectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "introspect",
        abstract: "Asks the server whether a token is valid, and prints its answer as JSON.",
        discussion: "Most servers answer only clients that have a secret."
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
        try await Interruption.cancelling {
            let session = try ProfileSession.load(name)
            let answer = try await session.client.introspect(try await Self.text(token, session))
            print(try TokenText.json(answer.members))
        }
    }

    private static func text(_ path: String?, _ session: ProfileSession) async throws -> String {
        guard let path else { return try await session.keptTokens().accessToken }
        return try await SecretInput.text(path, what: "token")
    }
}
