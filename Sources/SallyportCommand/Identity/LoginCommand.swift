import ArgumentParser
import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth

/// Obtains tokens from a server, and stores the settings of the login.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in at an OpenID Connect, OAuth 2 or PingAM server, for requests with --auth.",
        usage: "sallyport login [<options>]",
        discussion: """
            A browser opens, and returns to a port of this computer; --flow device shows a code to enter on another \
            device. A profile stores the server and the client for the next login. Tokens are stored in files that only you \
            can read, in SALLYPORT_HOME or ~/.config/sallyport. They are encrypted if SALLYPORT_STORE_KEY (or \
            SALLYPORT_STORE_KEY_FILE) contains a key, such as the output of openssl rand -base64 32. With \
            SALLYPORT_STORE=postgres://user@host/database they are in a database, which sallyport store migrate prepares.

            With --journey, the command asks the questions of an authentication tree in the terminal, and obtains the tokens with \
            the session, without a browser. Passwords are not shown. Scripts pass answers with --answers or --answer, by the \
            prompt of the question or its kind: name, password, text, choice, confirmation, terms, consent, question, answer, \
            provider, pin, or the name of an attribute, such as mail. Each answer is used once. Passkeys are those of the \
            profile (sallyport passkey); without a terminal, their use is allowed unless the answer passkey is no. If the tree \
            is suspended, continue with the link in the message: --resume.

            Examples:
              sallyport login --issuer https://id.example.com --client-id cli
              sallyport get https://api.example.com/me --auth
              sallyport login --flow device
              sallyport login --journey Login --server https://am.example.com/am \\
                --realm alpha --client-id cli
            """
    )

    @OptionGroup(title: "Server and Client Options")
    var server: LoginOptions

    @OptionGroup(title: "Flow Options")
    var options: FlowOptions

    @OptionGroup(title: "Journey Options")
    var journey: JourneyOptions

    @Flag(
        name: .customLong("no-revoke"),
        help: ArgumentHelp(
            "Do not revoke the tokens that this login replaces. Some servers end all logins of a user when one is revoked."
        )
    )
    var keepsReplaced = false

    @Flag(
        help: ArgumentHelp(
            "Replace a login in the database of SALLYPORT_STORE that is for another server or client, or cannot be read with the key."
        )
    )
    var force = false

    @OptionGroup
    var profile: ProfileOptions

    func validate() throws {
        let uses = [
            ("--client-secret-file", server.secretFile), ("--subject-token", options.subjectToken),
            ("--answers", journey.answers),
        ]
        try StandardInputUses.check(uses.filter { $0.1 == "-" }.map(\.0))
        if journey.selectsFlow, let flow = options.flow, flow != .journey {
            throw ValidationError("--journey and --resume cannot be used with --flow \(flow.rawValue).")
        }
    }

    func run() async throws {
        let name = try profile.name()
        let folder = ProfileFolder()
        let old = try? folder.load(name)
        let known = journey.resume == nil ? old : try folder.loadSuspended(name) ?? old
        if known == nil { try checkFirstLogin(of: name, in: folder) }
        let profile = try await server.profile(replacing: known, flow: options, journey: journey)
        try options.check(for: profile)
        try journey.check(for: profile)
        if keepsReplaced, profile.flow == .journey {
            throw CommandFailure(
                .usage,
                "--no-revoke cannot be used with --journey: a new session revokes the previous tokens"
            )
        }
        try await folder.checkSavable(name)
        let isOther = try await Self.isOtherLogin(profile, named: name, force: force)
        let (options, journey, revokesReplaced, force) = (options, journey, !keepsReplaced, force)
        try await Interruption.cancelOnSignal {
            var profile = profile
            if profile.scopes.isEmpty {
                profile.scopes = await DefaultScopes.select(
                    try ProfileSession(profile, named: name).client.server,
                    profile.flow
                )
            }
            let session = try ProfileSession(profile, named: name)
            let replaced = await ReplacedLogin(old, named: name, by: profile)
            let flow = LoginFlow(session: session, options: options, journeyOptions: journey)
            let tokens: OAuthTokens
            do {
                tokens = try await flow.tokens()
            } catch JourneyError.suspended {
                throw try Self.suspend(profile, named: name)
            } catch {
                if await Self.endUnusedSession(of: session, replacing: old) {
                    await replaced?.end(revokesTokens: revokesReplaced)
                }
                throw error
            }
            // Another computer may have stored a login meanwhile.
            let isOtherNow = try await Self.isOtherLogin(profile, named: name, force: force)
            // The new server must never receive the previous tokens, so the previous client revokes them.
            if isOther || isOtherNow || old?.isSameClient(as: profile) == false { try await session.session.reset() }
            try ProfileFolder().save(profile, as: name)
            try await session.session.save(tokens, revokesReplaced: revokesReplaced)
            if session.journey == nil, old?.journey != nil { try await ProfileFolder().sessionStore(of: name).delete() }
            StandardError.print(Self.summary(of: tokens, session))
            await replaced?.end(revokesTokens: revokesReplaced)
        }
    }

    /// Returns `true` if the stored tokens belong to another client, or cannot be read with the key.
    ///
    /// - Throws: A failure if they are in a database, unless `--force` is used. Other users of the database would lose their login.
    private static func isOtherLogin(_ profile: Profile, named name: ProfileName, force: Bool) async throws -> Bool {
        let session = try ProfileSession(profile, named: name).session
        let problem: String
        do throws(OAuthSessionError) {
            _ = try await session.current()
            return false
        } catch {
            switch error {
            case .otherClient(let owner, _): problem = "belongs to the client \(owner)"
            case .store(let error) where [.key, .malformed, .outdated, .tooLarge].contains(error.reason):
                problem = "cannot be read: \(error)"
            default: return false
            }
        }
        guard try ProfileDatabase.url() != nil, !force else { return true }
        throw CommandFailure(
            .usage,
            "the login of the profile \(name) in the database \(problem); other computers may use it; use another --profile, or "
                + "replace it with --force"
        )
    }

    /// Refuses a first login without the settings of a server, which a suspended login would have.
    private func checkFirstLogin(of name: ProfileName, in folder: ProfileFolder) throws {
        if journey.server != nil || server.issuer != nil { return }
        if journey.resume != nil {
            throw CommandFailure(
                .usage,
                "no login of the profile \(name) is suspended; use the profile of the suspended login, or specify --server"
            )
        }
        if try folder.loadSuspended(name) != nil { throw ProfileFolder.suspendedFailure(name) }
    }

    /// Ends and removes the session of a login that failed after its tree, for example because the server refused the client. No other
    /// command could use or end it, unless it belongs to the previous profile.
    ///
    /// - Returns: A Boolean value that indicates whether there was such a session, which has replaced the previous login.
    private static func endUnusedSession(of login: ProfileSession, replacing old: Profile?) async -> Bool {
        let isUsed = old?.flow == .journey && old?.journey?.hasSameSessions(as: login.profile.journey) == true
        guard let journey = login.journey, !isUsed else { return false }
        // The task may have been cancelled.
        return await Task {
            // This also excludes a session at another server.
            guard let session = try? await journey.session() else { return false }
            do {
                try await journey.endSession()
            } catch {
                StandardError.print(
                    "Warning: the \(session) at \(journey.configuration.baseURL) may remain valid until it expires: \(error)"
                )
                try? await ProfileFolder().sessionStore(of: login.name).delete()
            }
            return true
        }.value
    }

    /// Stores the settings of a login with a suspended tree. The login with the tree's link uses them.
    ///
    /// - Returns: The failure with the command that continues.
    private static func suspend(_ profile: Profile, named name: ProfileName) throws -> CommandFailure {
        try ProfileFolder().saveSuspended(profile, as: name)
        return CommandFailure(
            .loginDenied,
            "the sign-in is suspended; continue with the link that the server has sent: sallyport login --resume 'LINK'\(name.option)"
        )
    }

    private static func summary(of tokens: OAuthTokens, _ session: ProfileSession) -> String {
        let user = tokens.idToken.flatMap { TokenText.claims(of: $0) }.flatMap(TokenText.userName)
        var lines = ["Signed in\(user.map { " as \($0)" } ?? "") at \(session.profile.issuer)."]
        if tokens.refreshToken == nil, session.profile.flow != .clientCredentials, let end = tokens.expiresAt {
            lines.append("The server issued no refresh token: this login ends at \(end.formatted(.iso8601)).")
        }
        let option = session.name == .standard ? "--auth" : "--auth=\(session.name)"
        lines.append("Next: sallyport get \(session.profile.apis.first ?? "URL") \(option)")
        return lines.joined(separator: "\n")
    }
}

/// The scopes of a login without `--scope`.
private enum DefaultScopes {
    static func select(_ server: OAuthServer, _ flow: Profile.Flow) async -> [String] {
        if flow == .clientCredentials || flow == .exchange { return [] }
        let known = (try? await server.metadata().scopesSupported) ?? []
        return ["openid"] + ["profile", "email", "offline_access"].filter(known.contains)
    }
}
