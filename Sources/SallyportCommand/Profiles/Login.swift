import Sallyport
import SallyportOAuth

/// A login that a request is made with, and the servers that may see its tokens.
struct Login: Sendable {
    let session: OAuthSession
    private let name: ProfileName
    private let origins: [String]

    /// - Parameter urls: Where the requests go.
    /// - Throws: A failure if the profile's tokens are not for there.
    init(_ name: ProfileName, for urls: [String], configure: (inout HttpClientConfiguration) -> Void) throws {
        let profile = try ProfileSession.load(name, configure: configure)
        session = profile.session
        self.name = name
        origins = profile.profile.apis.isEmpty ? Array(urls.prefix(1)) : profile.profile.apis
        if origins.isEmpty {
            throw CommandFailure(
                .usage,
                "the profile \(name) does not say which servers may see its tokens; add them with sallyport login --api"
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

    /// The error of a call, with how to log in if that is what it lacks.
    func explaining(_ error: any Error) -> any Error { LoginNeeded.explaining(error, name) }

    /// A client whose requests carry the tokens, to the servers that may see them.
    func authorizing(_ client: HttpClient) -> HttpClient {
        client.authorized(by: session, for: origins)
    }
}
