import ArgumentParser
import Foundation
import Sallyport
import SallyportJourney

/// Shows and ends the session of a profile at a server with authentication trees.
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "Shows or ends the session of a login with --journey.",
        discussion: """
            The session is the user's login at the server. Tokens are obtained with it, and again when they have expired and \
            cannot be refreshed. Each ends separately:

              sallyport session logout   the session of the tree, with its cookies; tokens remain valid
              sallyport logout           the session at the OpenID provider, then the tokens, then the session of the tree
            """,
        subcommands: [SessionShowCommand.self, SessionLogoutCommand.self],
        defaultSubcommand: SessionShowCommand.self
    )
}

/// Prints what is known about the session, without the token.
struct SessionShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the server, the realm and the user of the session, and the state of its tokens.",
        discussion: "No request is sent, so the server may have ended the session meanwhile."
    )

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let name = try profile.name()
        try await Interruption.cancelOnSignal {
            let (profile, journey, session) = try await StoredSession.load(name)
            let tokens = try await journey.oauthSession.current()
            let user = tokens?.idToken.flatMap { TokenText.claims(of: $0) }.flatMap(TokenText.userName)
            let lines = [
                ("server", journey.configuration.baseURL),
                ("realm", session.realm ?? journey.configuration.realmPath),
                ("tree", profile.profile.journey?.tree),
                ("user", user),
                (
                    "tokens",
                    tokens.map { tokens in "valid until \(tokens.expiresAt?.formatted(.iso8601) ?? "they are revoked")"
                    } ?? "none"
                ),
            ]
            for case (let label, let value?) in lines {
                print(VisibleText.line("\(TextColumns.padded(label, to: 8))\(value)"))
            }
        }
    }
}

/// Ends the session, but not its tokens.
struct SessionLogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Ends the session at the server, and removes it with its cookies. Tokens remain valid.",
        discussion: "If the server cannot be reached, the session is not removed, and you can run the command again."
    )

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let name = try profile.name()
        try await Interruption.cancelOnSignal {
            let (_, journey, _) = try await StoredSession.load(name)
            try await journey.endSession()
            StandardError.print(
                "The session of the profile \(name) has ended. Its tokens remain valid: sallyport logout\(name.option) ends them."
            )
        }
    }
}

/// The session of a profile.
private enum StoredSession {
    /// - Throws: A failure with the command to log in if there is no session.
    static func load(_ name: ProfileName) async throws -> (ProfileSession, Journey, JourneySession) {
        let profile = try ProfileSession.load(name)
        guard let journey = profile.journey, let session = try await journey.session() else {
            throw CommandFailure(
                .loginDenied,
                "the profile \(name) has no session; begin one with sallyport login\(name.option) --journey …"
            )
        }
        return (profile, journey, session)
    }
}
