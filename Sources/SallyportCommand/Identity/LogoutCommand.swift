import ArgumentParser
import Foundation
import Sallyport
import SallyportOAuth

/// Revokes and removes the tokens of a profile.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Revokes the tokens of a profile, and removes them.",
        discussion: """
            If the server cannot be reached, the tokens are not removed, and you can run the command again, or use --local. \
            If the server refuses to revoke them, they are removed with a warning that they may remain valid until they \
            expire.
            """
    )

    @Flag(help: "Remove the tokens without revoking them. They remain valid until they expire.")
    var local = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, local) = (try profile.name(), local)
        try await Interruption.cancelOnSignal {
            let session = try ProfileSession.load(name)
            if local {
                // This also removes tokens that cannot be read.
                try await session.session.reset()
                StandardError.print("The profile \(name) is logged out on this computer; its tokens were not revoked.")
            } else {
                let refusal = try await Self.logout(session)
                StandardError.print("The profile \(name) is logged out\(refusal == nil ? "" : " on this computer").")
                guard let refusal else { return }
                StandardError.print("Warning: the tokens may remain valid until they expire: \(refusal)")
            }
        }
    }

    private static func logout(_ session: ProfileSession) async throws -> OAuthError? {
        // Throws a failure that contains the login command if there are no tokens.
        _ = try await session.storedTokens()
        do throws(OAuthSessionError) {
            return try await session.session.logout()
        } catch {
            let failure = error.commandFailure
            switch error {
            case .network, .refused:
                throw CommandFailure(
                    failure.status,
                    """
                    the tokens were neither revoked nor removed: \(failure.message); try again, or remove them with --local
                    """
                )
            default: throw failure
            }
        }
    }
}
