import ArgumentParser
import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth

/// The options of a login by an authentication tree. Omitted options have the values of the profile.
struct JourneyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Sign in with an authentication tree of a PingAM server.", valueName: "tree"))
    var journey: String?

    @Option(help: ArgumentHelp("The URL of the server with the tree.", valueName: "url"))
    var server: String?

    @Option(help: ArgumentHelp("The realm of the tree, such as alpha. (default: root)", valueName: "path"))
    var realm: String?

    @Option(help: ArgumentHelp("Continue a suspended tree with the link that the server has sent.", valueName: "url"))
    var resume: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An answer for the tree, such as name=alice. Other users can see it in the list of processes. (repeatable)",
            valueName: "name=value"
        ),
        transform: NameAndValue.init
    )
    var answer: [NameAndValue] = []

    @Option(
        help: ArgumentHelp(
            "Answers for the tree: a file with a line name=value for each, or - for standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var answers: String?

    @Flag(help: "Authenticate even if there is a session.")
    var forceAuth = false

    @Option(
        help: ArgumentHelp("The name of the server's session cookie. (default: iPlanetDirectoryPro)", valueName: "name")
    )
    var sessionCookie: String?

    func validate() throws {
        if journey != nil, resume != nil { throw ValidationError("Only one of --journey and --resume can be used.") }
        if journey?.isEmpty == true { throw ValidationError("--journey needs the name of a tree.") }
        if let server, let problem = EndpointAddress.problem(with: server) {
            throw ValidationError(
                "--server needs a URL such as https://am.example.com/am, because passwords are sent there: \(problem)."
            )
        }
    }

    /// A Boolean value that indicates whether an option selects a login by a tree.
    var selectsFlow: Bool { journey != nil || resume != nil }

    /// Refuses options that do not match the flow, which may come from a previous login.
    func check(for profile: Profile) throws(CommandFailure) {
        if profile.flow == .journey {
            guard profile.journey?.tree == nil, resume == nil else { return }
            throw CommandFailure(.usage, "--flow journey needs a tree; specify it with --journey")
        }
        let options = [
            ("--server", server != nil), ("--realm", realm != nil), ("--answer", !answer.isEmpty),
            ("--answers", answers != nil), ("--force-auth", forceAuth), ("--session-cookie", sessionCookie != nil),
        ]
        if let option = options.first(where: \.1)?.0 { throw CommandFailure(.usage, "\(option) needs --journey") }
    }

    /// Returns the settings that these options describe.
    ///
    /// - Parameters:
    ///   - old: The settings of the previous login, which apply if the server is the same.
    ///   - redirectURI: The redirect URI of the client, if an option specifies it.
    ///   - client: A client that can call the server.
    func settings(
        replacing old: Profile.JourneySettings?,
        redirectURI: String?,
        client: HttpClient
    ) async throws -> Profile.JourneySettings {
        var url = server ?? old?.server ?? ""
        if url.isEmpty { throw CommandFailure(.usage, "the first login with --journey needs --server") }
        if url.hasSuffix("/") { url.removeLast() }
        var settings = Profile.JourneySettings(server: await CanonicalServer.url(url, client))
        if let old, old.server == settings.server { settings = old }
        if let realm { settings.realm = realm }
        if let journey { settings.tree = journey }
        if let sessionCookie { settings.sessionCookie = sessionCookie }
        if let redirectURI { settings.redirectURI = redirectURI }
        return settings
    }

    /// Reads the answers.
    func answerList() async throws -> AnswerList {
        guard let answers else { return AnswerList(answer) }
        return try await AnswerList(file: answers, after: answer)
    }
}

extension Profile.JourneySettings {
    /// The issuer of the server's tokens, unless it has another one.
    var standardIssuer: String {
        get throws { OAuthClient(try configuration(clientID: "-")).issuer }
    }

    /// The client that `sallyport serve` has for logins without `--client-id`; `nil` for servers on other computers.
    var developmentClientID: String? {
        (try? Origin(of: HttpRequest(url: server).head()))?.isLoopback == true ? "pub" : nil
    }
}
