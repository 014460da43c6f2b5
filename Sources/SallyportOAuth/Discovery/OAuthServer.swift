import Foundation
import Sallyport
import SallyportJOSE

/// An authorization server, as its clients know it: its name, what it says of itself, and its keys.
///
/// Metadata and keys are read once and kept for an hour, however many tasks ask for them.
public final class OAuthServer: Sendable {
    /// The server's name, which tokens have to bear.
    public let issuer: String

    let httpClient: HttpClient
    let headers: [String: String]
    let clock: OAuthClock
    let metadataCache = ServerCache<ServerMetadata>()
    let keyCache = ServerCache<JsonWebKeySet>()
    private let givenMetadata: ServerMetadata?

    /// Names a server. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - issuer: Its name, an `https` URL, exactly as its metadata has it.
    ///   - metadata: Its endpoints, for a server that does not publish them.
    ///   - httpClient: The client to call it with; by default one that keeps no cookies.
    ///   - headers: Headers of every call.
    public convenience init(
        issuer: String,
        metadata: ServerMetadata? = nil,
        httpClient: HttpClient? = nil,
        headers: [String: String] = [:]
    ) {
        self.init(issuer: issuer, metadata: metadata, httpClient: httpClient, headers: headers, clock: OAuthClock())
    }

    init(
        issuer: String,
        metadata: ServerMetadata?,
        httpClient: HttpClient?,
        headers: [String: String],
        clock: OAuthClock
    ) {
        self.issuer = issuer
        self.headers = headers
        self.clock = clock
        givenMetadata = metadata
        self.httpClient =
            httpClient
            ?? HttpClient.createClient { config in
                config.cookieJar = nil
                config.maximumBodySize = ServerAnswer.longestBody
            }
    }

    /// What the server says of itself.
    ///
    /// - Throws: ``OAuthError`` if it says nothing, or that it is another; ``NetworkError``.
    public func metadata() async throws -> ServerMetadata {
        if let givenMetadata {
            guard givenMetadata.issuer == issuer else {
                throw OAuthError(
                    failure: NetworkFailure("the metadata given is that of \(givenMetadata.issuer), not of \(issuer)")
                )
            }
            return givenMetadata
        }
        return try await metadataCache.value(at: clock.now()) { try await self.discover() }
    }

    func url(of endpoint: ServerEndpoint) async throws -> String {
        try await metadata().url(of: endpoint)
    }

    /// Returns a request that the SDK itself sends to the server.
    func request(
        _ url: String,
        _ type: ActionType,
        accepting media: String = NetworkConstants.contentTypeJSON
    ) -> HttpRequest {
        var request = HttpRequest(url: url)
        request.action = Action(type)
        request.carriesOwnCredentials = true
        request.requiresSecureTransport = true
        request.setHeader(name: NetworkConstants.headerAccept, value: media)
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { request.setHeader(name: name, value: value) }
        return request
    }

    /// Has a request sent again only if nothing of it had left: it holds what can be spent once, such as a code, a
    /// refresh token or a proof, and a server takes the second time for an attack.
    func neverRepeat(_ request: inout HttpRequest) {
        guard var policy = request.retry ?? httpClient.retry else { return }
        policy.methods.remove(request.getMethod())
        policy.addsIdempotencyKey = false
        request.retry = policy
    }
}

extension OAuthServer: CustomStringConvertible {
    /// The server's name.
    public var description: String { issuer }
}
