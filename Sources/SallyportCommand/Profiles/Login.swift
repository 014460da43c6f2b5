import Sallyport
import SallyportJourney
import SallyportOAuth

/// The login that authorizes requests, and the servers that its tokens may be sent to.
struct Login: Sendable {
    let session: OAuthSession
    private let journey: Journey?
    private let name: ProfileName
    private let origins: [String]

    /// Loads the login of a profile.
    ///
    /// - Parameters:
    ///   - urls: The URLs of the requests.
    ///   - configure: Changes the configuration of the client that calls the authorization server.
    /// - Throws: A failure if the profile's tokens must not be sent to one of the URLs.
    init(_ name: ProfileName, for urls: [String], configure: (inout HttpClientConfiguration) -> Void) throws {
        let profile = try ProfileSession.load(name, configure: configure)
        session = profile.session
        journey = profile.journey
        self.name = name
        origins = profile.profile.apis.isEmpty ? Array(urls.prefix(1)) : profile.profile.apis
        if origins.isEmpty {
            throw CommandFailure(
                .usage,
                "the profile \(name) does not specify the servers for its tokens; add them with sallyport login --api"
            )
        }
        for url in urls {
            let origin = try Origin(of: HttpRequest(url: url).head())
            guard try origins.contains(where: { try Origin(of: HttpRequest(url: $0).head()) == origin }) else {
                throw CommandFailure(
                    .usage,
                    """
                    the tokens of the profile \(name) are for \(origins.joined(separator: ", ")), not for \
                    \(origin.authority); add it with sallyport login --api
                    """
                )
            }
        }
    }

    /// Returns the error of a call, or a failure with the command to log in if a login is missing, or if the profile's tree does not meet
    /// the demand of a server.
    func explaining(_ error: any Error) -> any Error {
        if case .oauth(let refusal) = (error as? NetworkError)?.failure.underlying as? JourneyError,
            refusal.error == "unmet_authentication_requirements"
        {
            let command = "sallyport login --journey TREE\(name.option)"
            return CommandFailure(.loginDenied, "\(refusal); sign in with a tree that meets the demand: \(command)")
        }
        return LoginNeeded.explaining(error, name)
    }

    /// Returns a client that adds the access token to requests to the servers of the login.
    func authorizing(_ client: HttpClient) -> HttpClient {
        client.authorized(by: session, for: origins)
    }

    /// Returns a client as ``authorizing(_:)``. After a login by a tree, the user authenticates further at the terminal if a server
    /// demands it. Without a terminal, such a call fails.
    func authorizingWithStepUp(_ client: HttpClient) throws -> HttpClient {
        guard let journey else { return authorizing(client) }
        let dialog = TerminalPrompt.isAvailable ? try NodeDialog(name) : nil
        let origins = try OriginSet(origins)
        return client.derived { config in
            let added: [any Interceptor] = [
                StepUpInterceptor(journey, for: origins) { node in
                    guard let dialog else { throw Self.demand }
                    try await dialog.answer(&node)
                },
                OAuthAuthentication(session, for: origins),
            ]
            config.authentication = added + config.authentication
        }
    }

    /// Waits after the output of a command until a refresh in the background has ended.
    ///
    /// - Parameter end: The end of the command's time limit; `nil` if it has none.
    /// - Throws: A failure if new tokens cannot be stored.
    func finish(by end: ContinuousClock.Instant? = nil) async throws {
        let rest = end.map { max(.zero, $0 - .now) } ?? ProfileSession.refreshWait
        try await name.finish(session, within: min(rest, ProfileSession.refreshWait))
    }

    /// Waits after the failure of a command until the tokens are stored, and prints a warning if they cannot be stored.
    func finishReporting() async { await name.finishReporting(session) }

    private static let demand = CommandFailure(
        .loginDenied,
        "the server demands that you confirm this call or authenticate again; run the command in a terminal"
    )
}
