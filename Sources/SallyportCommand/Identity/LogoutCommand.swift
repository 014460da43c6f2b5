import ArgumentParser
import Foundation
import Sallyport
import SallyportOAuth

/// Ends a login, at the server and here.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Revokes the tokens of a profile, and removes them.",
        discussion: """
            If the server cannot be reached, the tokens are kept, so that the command can be repeated; see --local. If it \
            refuses to revoke them, they are removed, and a warning says that they may remain valid until they expire.
            """
    )

    @Flag(help: "Remove the tokens without revoking them. They remain valid until they expire.")
    var local = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, local) = (try profile.name(), local)
        try await Interruption.cancelling {
            let session = try ProfileSession.load(name)
            if local {
                // Tokens that cannot be read can be removed all the same.
                try await session.session.reset()
                StandardError.print("The profile \(name) is logged out here; the server was not told.")
            } else {
                let refusal = try await Self.logout(session)
                StandardError.print("The profile \(name) is logged out\(refusal == nil ? "" : " here").")
                guard let refusal else { return }
                StandardError.print("Warning: the tokens may remain valid until they expire: \(refusal)")
            }
        }
    }

    private static func logout(_ session: ProfileSession) async throws -> OAuthError? {
        // Says how to log in if nobody is.
        _ = try await session.keptTokens()
        do throws(OAuthSessionError) {
            return try await session.session.logout()
        } catch {
            let failure = CommandFailure(error)
            switch error {
            case .network, .refused:
                throw CommandFailure(
                    failure.status,
                    """
                    the tokens were not revoked and are kept: \(failure.message); try again, or remove them with --local
                    """
                )
            default: throw failure
            }
        }
    }
}
