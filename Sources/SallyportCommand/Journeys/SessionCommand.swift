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

              sallyport session logout   the session of the tree; tokens remain valid
              sallyport logout           also the OpenID session and the tokens
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

    @Flag(help: "Print a JSON object.")
    var json = false

    @OptionGroup
    var profile: ProfileOptions

    func run() async throws {
        let (name, json) = (try profile.name(), json)
        try await Interruption.cancelOnSignal {
            let (profile, journey, session) = try await StoredSession.load(name)
            let tokens = try await journey.oauthSession.current()
            let state = SessionState(
                server: journey.configuration.baseURL,
                realm: session.realm ?? journey.configuration.realmPath,
                tree: profile.profile.journey?.tree,
                user: tokens?.idToken.flatMap { TokenText.claims(of: $0) }.flatMap(TokenText.userName),
                hasTokens: tokens != nil,
                tokensExpire: tokens?.expiresAt
            )
            if json { return print(try JsonText.indented(state)) }
            for line in state.lines { print(VisibleText.line(line)) }
        }
    }
}

/// A session and the state of its tokens, as `session show` prints them.
private struct SessionState: Encodable {
    let server: String
    let realm: String
    let tree: String?
    let user: String?
    let hasTokens: Bool
    /// The time at which the access token expires; `nil` if there is none, or if the server has not stated it.
    let tokensExpire: Date?

    /// The lines of the output for people.
    var lines: [String] {
        let tokens = hasTokens ? "valid until \(tokensExpire?.formatted(.iso8601) ?? "they are revoked")" : "none"
        let lines = [("server", server), ("realm", realm), ("tree", tree), ("user", user), ("tokens", tokens)]
        return lines.compactMap { label, value in value.map { "\(TextColumns.padded(label, to: 8))\($0)" } }
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
