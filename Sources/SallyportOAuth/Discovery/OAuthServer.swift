import Foundation
import Sallyport
import SallyportJOSE
import SallyportTransport

/// An authorization server: its issuer identifier, metadata and keys.
///
/// Metadata and keys are cached for an hour. Concurrent tasks share one request.
public final class OAuthServer: Sendable {
    /// The issuer identifier of the server (`iss` in its tokens).
    public let issuer: String

    /// The issuer of the server's tenants; see ``OAuthClientConfiguration/issuerTemplate``.
    let issuerTemplate: String?
    let httpClient: HttpClient
    let headers: [String: String]
    let clock: TimeSource
    /// The nonces that the server requires in proofs.
    let nonces = ProofNonces()
    private let metadataCache = ServerCache<ServerMetadata>()
    private let keyCache = ServerCache<JsonWebKeySet>()
    private let configuredMetadata: ServerMetadata?

    /// Creates a server. No request is sent until its metadata or keys are needed.
    ///
    /// - Parameters:
    ///   - issuer: The issuer identifier, an `https` URL, exactly as in the server's metadata.
    ///   - metadata: The metadata, for a server that does not publish it.
    ///   - httpClient: The client that sends the requests; by default one without cookies.
    ///   - headers: Header fields of every request.
    ///   - issuerTemplate: The issuer of the server's tenants; see ``OAuthClientConfiguration/issuerTemplate``.
    public convenience init(
        issuer: String,
        metadata: ServerMetadata? = nil,
        httpClient: HttpClient? = nil,
        headers: [String: String] = [:],
        issuerTemplate: String? = nil
    ) {
        var configuration = OAuthClientConfiguration()
        configuration.metadata = metadata
        configuration.httpClient = httpClient
        configuration.headers = headers
        configuration.issuerTemplate = issuerTemplate
        self.init(issuer: issuer, configuration)
    }

    init(issuer: String, _ configuration: OAuthClientConfiguration) {
        self.issuer = issuer
        issuerTemplate = configuration.issuerTemplate
        headers = configuration.headers
        clock = configuration.clock
        configuredMetadata = configuration.metadata
        httpClient =
            configuration.httpClient
            ?? HttpClient.createClient { config in
                config.cookieJar = nil
                config.maximumBodySize = OAuthResponse.maximumBodySize
            }
    }

    /// Returns the metadata of the server.
    ///
    /// - Throws: ``OAuthError`` if the server publishes none, or its metadata is for another issuer; ``NetworkError``.
    public func metadata() async throws -> ServerMetadata {
        if let issuerTemplate, IssuerTemplate(issuerTemplate) == nil {
            throw OAuthError(
                failure: NetworkFailure(
                    "the issuer template \"\(SanitizedText.make(from: issuerTemplate))\" does not contain "
                        + "\(IssuerTemplate.placeholder) once",
                    advice: "use the issuer in the server's metadata"
                )
            )
        }
        if let configuredMetadata {
            guard isIssuer(configuredMetadata.issuer) else {
                throw OAuthError(
                    failure: NetworkFailure(
                        "the configured metadata is for \(configuredMetadata.issuer), not for \(issuer)"
                    )
                )
            }
            return configuredMetadata
        }
        return try await metadataCache.value(at: clock.date()) { try await self.discover() }
    }

    /// Returns `true` for the issuer that the server's metadata may state.
    private func isIssuer(_ text: String) -> Bool { text == issuer || text == issuerTemplate }

    func url(of endpoint: ServerEndpoint) async throws -> String {
        try await metadata().url(of: endpoint)
    }

    /// Returns a request that the SDK itself sends to the server.
    package func request(
        _ url: String,
        _ type: ActionType,
        accepting media: String = NetworkConstants.contentTypeJSON
    ) -> HttpRequest {
        var request = httpClient.ownRequest(url, type, accepting: media)
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { request.setHeader(name: name, value: value) }
        return request
    }

    /// Prevents retries of a request that may have been sent. It contains a secret that can be used once, such as a code, a
    /// refresh token or a proof, and servers treat a second use as an attack.
    package func disableRetries(of request: inout HttpRequest) {
        var policy = request.retry ?? httpClient.retry ?? .never
        policy.forbidRepeating(request.method)
        request.retry = policy
    }

    /// Runs a closure, and converts its errors of JOSE and id_tokens to errors that name the server.
    ///
    /// - Parameter object: The object that is checked, such as "an id_token of".
    func convertingErrors<Result>(of object: String, _ check: () async throws -> Result) async throws -> Result {
        do {
            return try await check()
        } catch let error as JoseError {
            throw refusal(of: object, error)
        } catch let error as IdTokenError {
            throw refusal(of: object, error)
        }
    }

    /// Returns the error for an object that is refused, such as "an id_token of".
    func refusal(of object: String, _ error: any Error) -> OAuthError {
        let advice = (error as? IdTokenError)?.mayBeWrongClock == true ? SettingAdvice.clockSkew.rawValue : nil
        var reason = "\(object) \(issuer) is refused: \(SanitizedText.make(from: "\(error)"))"
        if advice != nil, reason.hasSuffix(".") { reason.removeLast() }
        return OAuthError(failure: NetworkFailure(reason, advice: advice, underlying: error))
    }
}

extension OAuthServer: CustomStringConvertible {
    /// The issuer identifier.
    public var description: String { issuer }
}

extension OAuthServer {
    /// Returns the possible URLs of a server's metadata, in the order they are tried. OpenID Connect Discovery appends the
    /// well-known path to the issuer's path; RFC 8414 inserts it before that path.
    static func metadataURLs(of issuer: String) throws(OAuthError) -> [String] {
        if let problem = problem(with: issuer) {
            throw OAuthError(
                failure: NetworkFailure(
                    "the issuer \"\(SanitizedText.make(from: issuer))\" cannot be used: \(problem)",
                    advice: "use the https URL that is the issuer in the server's metadata"
                )
            )
        }
        let start = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let authorityStart = start.range(of: "://")?.upperBound ?? start.startIndex
        let pathStart = start[authorityStart...].firstIndex(of: "/") ?? start.endIndex
        return [
            start + "/.well-known/openid-configuration",
            start[..<pathStart] + "/.well-known/oauth-authorization-server" + start[pathStart...],
        ]
    }

    private static func problem(with issuer: String) -> String? {
        if issuer.contains(where: { "?#".contains($0) }) { return "it has a query or a fragment" }
        return EndpointAddress.problem(with: issuer)
    }

    private func discover() async throws -> ServerMetadata {
        var attempts: [String] = []
        var status: Int?
        for url in try Self.metadataURLs(of: issuer) {
            let response = try OAuthResponse(await httpClient.request(request: request(url, .discover)))
            if response.status == .ok, !response.reportsError, let members = response.object {
                return try check(ServerMetadata(members: members), in: response)
            }
            if response.status.isServerError() { throw response.refusal(of: "the request for its metadata") }
            status = response.status.code
            let problem =
                if response.reportsError {
                    " (\(response.errorSummary))"
                } else {
                    response.status == .ok ? " without JSON" : ""
                }
            attempts.append("\(url) answered \(response.status.code)\(problem)")
        }
        throw OAuthError(
            status: status,
            failure: NetworkFailure(
                "\(issuer) publishes no metadata: \(attempts.joined(separator: ", "))",
                advice: SettingAdvice.describeEndpoints.rawValue
            )
        )
    }

    private func check(_ metadata: ServerMetadata, in response: OAuthResponse) throws(OAuthError) -> ServerMetadata {
        if isIssuer(metadata.issuer) { return metadata }
        let advice =
            IssuerTemplate(metadata.issuer) == nil
            ? "if you trust that issuer, specify it exactly as in the metadata, including a slash at the end if it has one"
            : SettingAdvice.issuerTemplate.rawValue
        throw response.invalid(
            "the metadata is for \"\(SanitizedText.make(from: metadata.issuer))\", not for \"\(issuer)\"",
            advice: advice
        )
    }
}

extension OAuthServer {
    /// Returns the server's keys.
    ///
    /// - Parameter keyID: The identifier of a required key (`kid`). If it is not among the cached keys, they are read
    ///   again, because servers rotate their keys, unless they were read again in the last ten seconds. The result may
    ///   still not contain it.
    /// - Throws: ``OAuthError``, ``NetworkError``. They are thrown even if only the second reading of the keys fails. Calls
    ///   within the next second then throw the same error.
    public func keys(including keyID: String? = nil) async throws -> JsonWebKeySet {
        let known = try await keyCache.value(at: clock.date()) { try await self.fetchKeys() }
        guard let keyID, !known.keys.contains(where: { $0.keyID == keyID }) else { return known }
        return try await newKeys()
    }

    /// Reads the server's keys again, or returns the cached keys if they were read again in the last ten seconds. If
    /// reading them failed in the last second, throws the same error.
    func newKeys() async throws -> JsonWebKeySet {
        try await keyCache.newValue(at: clock.date()) { try await self.fetchKeys() }
    }

    private func fetchKeys() async throws -> JsonWebKeySet {
        let response = try OAuthResponse(
            await httpClient.request(request: request(try await url(of: .keys), .fetchKeys))
        )
        try response.checkSuccess(of: "the request for its keys")
        do {
            return try JsonWebKeySet(parsing: response.body)
        } catch {
            throw response.invalid("the server's keys cannot be read: \(error)")
        }
    }
}
