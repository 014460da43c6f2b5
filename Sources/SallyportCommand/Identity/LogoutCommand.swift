import ArgumentParser
import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth

/// Ends the login of a profile: its tokens and, after a login by a tree, its sessions.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Ends the login of a profile: revokes and removes its tokens, and ends its session.",
        discussion: """
            After a login with --journey, the command ends, in this order: the session at the OpenID provider (if there is \
            an id_token), the tokens, and the session of the tree. sallyport session logout ends only the session. After any \
            other login, it ends the tokens only.

            If the server cannot be reached, the tokens are not removed, and you can run the command again, or use --local. \
            If the server refuses to revoke them, they are removed with a warning that they may remain valid until they \
            expire. A login that is suspended until you open a link is discarded with --local.

            With SALLYPORT_STORE, the tokens and the session are removed from the database, also with --local: the profile \
            is then logged out on all computers that use the database.
            """
    )

    @Flag(help: "Remove tokens and session without calling the server, where they remain valid until they expire.")
    var local = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, local) = (try profile.name(), local)
        try await Interruption.cancelOnSignal {
            let folder = ProfileFolder()
            if local, folder.discardSuspended(name) {
                StandardError.print("The suspended login of the profile \(name) was discarded.")
                if !folder.names.contains(name) { return }
            }
            let session = try ProfileSession.load(name)
            let computers = try ProfileDatabase.computers()
            if local {
                // This also removes tokens that cannot be read.
                try await session.session.reset()
                if session.journey != nil { try await folder.sessionStore(of: name).delete() }
                StandardError.print("The profile \(name) is logged out \(computers). Nothing was sent to the server.")
            } else {
                let refusal = try await Self.logout(session)
                StandardError.print("The profile \(name) is logged out\(refusal == nil ? "" : " \(computers)").")
                guard let refusal else { return }
                StandardError.print("Warning: the tokens may remain valid until they expire: \(refusal)")
            }
        }
    }

    private static func logout(_ session: ProfileSession) async throws -> OAuthError? {
        if let journey = session.journey { return try await logout(journey, named: session.name) }
        // Throws a failure that contains the login command if there are no tokens.
        _ = try await session.storedTokens()
        do throws(OAuthSessionError) {
            return try await session.session.logout()
        } catch {
            throw explained(error)
        }
    }

    private static func logout(_ journey: Journey, named name: ProfileName) async throws -> OAuthError? {
        if try await journey.session() == nil, try await journey.oauthSession.current() == nil {
            throw LoginNeeded.failure(name)
        }
        do throws(JourneyError) {
            return try await journey.logout()
        } catch {
            if case .tokens(let error) = error { throw explained(error) }
            let failure = error.commandFailure
            throw CommandFailure(
                failure.status,
                "the login was not ended completely: \(failure.message); try again, or remove it with --local"
            )
        }
    }

    /// Returns the failure for tokens that were not removed.
    private static func explained(_ error: OAuthSessionError) -> CommandFailure {
        let failure = error.commandFailure
        switch error {
        case .network, .refused:
            return CommandFailure(
                failure.status,
                "the tokens were neither revoked nor removed: \(failure.message); try again, or remove them with --local"
            )
        default: return failure
        }
    }
}
