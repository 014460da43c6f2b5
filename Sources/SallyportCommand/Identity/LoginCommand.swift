import ArgumentParser
import Foundation
import Sallyport
import SallyportOAuth

/// Obtains tokens from a server, and stores the settings of the login.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Signs in at an OpenID Connect or OAuth 2 server, for requests with --auth.",
        discussion: """
            A browser opens, and returns to a port of this computer; --flow device shows a code to enter on another \
            device. A profile stores the server and the client for the next login. Tokens are stored in files that only you \
            can read, in SALLYPORT_HOME or ~/.config/sallyport. They are encrypted if SALLYPORT_STORE_KEY (or \
            SALLYPORT_STORE_KEY_FILE) contains a key, such as the output of openssl rand -base64 32.

            Examples:
              sallyport login --issuer https://id.example.com --client-id cli
              sallyport get https://api.example.com/me --auth
              sallyport login --flow device
            """
    )

    @OptionGroup(title: "Server and Client Options")
    var server: LoginOptions

    @OptionGroup(title: "Flow Options")
    var options: FlowOptions

    @Flag(
        name: .customLong("no-revoke"),
        help: ArgumentHelp(
            "Do not revoke the tokens that this login replaces. Some servers end all logins of a user when one is revoked."
        )
    )
    var keepsReplaced = false

    @OptionGroup
    var profile: ProfileOptions

    func validate() throws {
        if server.secretFile == "-", options.subjectToken == "-" {
            throw ValidationError("Only one of --client-secret-file and --subject-token can be standard input.")
        }
    }

    func run() async throws {
        let name = try profile.name()
        let old = try? ProfileFolder().load(name)
        let profile = try await server.profile(replacing: old, flow: options.flow)
        try options.check(for: profile)
        try await ProfileFolder().store(of: name).checkReplaceable()
        let (options, revokesReplaced) = (options, !keepsReplaced)
        try await Interruption.cancelOnSignal {
            var profile = profile
            if profile.scopes.isEmpty {
                profile.scopes = await DefaultScopes.select(
                    try ProfileSession(profile, named: name).client.server,
                    profile.flow
                )
            }
            let session = try ProfileSession(profile, named: name)
            let tokens = try await LoginFlow(session: session, options: options).tokens()
            // The new server must never receive the previous tokens, so the previous client revokes them.
            let previous = old.flatMap { $0.isSameClient(as: profile) ? nil : try? ProfileSession($0, named: name) }
            let replaced = try? await previous?.session.current()
            if old?.isSameClient(as: profile) != true { try await session.session.reset() }
            try ProfileFolder().save(profile, as: name)
            try await session.session.save(tokens, revokesReplaced: revokesReplaced)
            StandardError.print(Self.summary(of: tokens, session))
            if let previous, let replaced, revokesReplaced { await Self.revoke(replaced, of: previous) }
        }
    }

    /// Revokes the tokens of a replaced login at another server or of another client.
    private static func revoke(_ tokens: OAuthTokens, of previous: ProfileSession) async {
        do {
            try await previous.client.revoke(tokens)
        } catch {
            let issuer = previous.profile.issuer
            StandardError.print(
                "Warning: the previous tokens of \(issuer) may remain valid until they expire: \(error)"
            )
        }
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
