import ArgumentParser
import Foundation
import Sallyport
import SallyportOAuth

/// Ends a login, at the server and here.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Revokes the tokens of a profile, and forgets them.",
        discussion: "If the server cannot be told, the tokens are kept, so that it can be told later; see --local."
    )

    @Flag(help: "Forget the tokens without telling the server, where they stay good until they end.")
    var local = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, local) = (try profile.name(), local)
        try await Interruption.cancelling {
            let session = try ProfileSession.load(name)
            // What cannot be read can be forgotten all the same.
            if !local { try await Self.revoke(try await session.keptTokens(), session) }
            try await session.session.reset()
            StandardError.print("The profile \(name) is logged out\(local ? " here; the server was not told" : "").")
        }
    }

    private static func revoke(_ tokens: OAuthTokens, _ session: ProfileSession) async throws {
        do {
            try await session.client.revoke(tokens)
            if tokens.refreshToken != nil { try await session.client.revoke(tokens.accessToken, kind: .accessToken) }
        } catch let error as OAuthError {
            throw CommandFailure(
                .loginDenied,
                "the tokens are kept, as they were not revoked: \(error); or use --local"
            )
        } catch let error as NetworkError {
            throw CommandFailure(
                ExitStatus(error),
                "the tokens are kept, as they were not revoked: \(error); or use --local"
            )
        }
    }
}
