import Foundation
import SallyportJOSE

/// Authenticates clients, and refuses assertions that were used before.
final class ClientAuthenticator {
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// The maximum time until an assertion of a configured client expires, in seconds.
    private static let maximumLifetime: TimeInterval = 3600
    /// The maximum time until an assertion of a client that registered itself expires, in seconds.
    private static let maximumLifetimeOfRegistered: TimeInterval = 300
    private static let unknownClient = OAuthRefusal(
        .invalidClient,
        "The client is unknown, its credentials are wrong, or it is registered for another authentication method."
    )

    private let context: ServerContext
    private let clients: ClientRegistry
    private let passwords: PasswordCheck
    /// The client of each used assertion, by the hash of the identifiers of the client and the assertion.
    private var usedAssertions = ExpiringTable<SecretHash, String>(limit: 16_384, share: 4096) { $1 }
    /// The same for clients that registered themselves. Anyone with an app's public statement can register. The shares of all registrations
    /// fit into the table.
    private var usedByRegistered = ExpiringTable<SecretHash, String>(limit: 1_024_000, share: 128) { $1 }

    init(_ context: ServerContext, clients: ClientRegistry, passwords: PasswordCheck) {
        self.context = context
        self.clients = clients
        self.passwords = passwords
    }

    /// Returns the client that sent a request, which must use exactly one authentication method (RFC 6749, section 2.3).
    nonisolated(nonsending) func authenticate(
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> GatewayClient {
        let form = request.parameters
        let hasHeader = !request.authorization.isEmpty
        let hasAssertion = form["client_assertion"] != nil
        guard [hasHeader, form["client_secret"] != nil, hasAssertion].count(where: { $0 }) <= 1 else {
            throw OAuthRefusal(.invalidRequest, "The request uses more than one client authentication method.")
        }
        if hasHeader { return try await authenticateByHeader(request) }
        if hasAssertion { return try await authenticateByAssertion(request) }
        guard let client = clients.client(try form.require("client_id")) else { throw Self.unknownClient }
        if let secret = form["client_secret"] { return try await authenticate(client, by: secret) }
        guard client.isPublic else {
            throw OAuthRefusal(.invalidClient, "The client must authenticate.")
        }
        return client
    }

    private nonisolated(nonsending) func authenticateByHeader(
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> GatewayClient {
        guard let credentials = request.credentials("basic"), let data = Data(base64Encoded: credentials),
            let text = String(bytes: data, encoding: .utf8), let colon = text.firstIndex(of: ":"),
            let pair = try? FormParameters(parsing: "i=\(text[..<colon])&s=\(text[text.index(after: colon)...])"),
            let id = pair["i"], let secret = pair["s"], let client = clients.client(id)
        else { throw Self.unknownClient }
        guard request.parameters["client_id"].map({ $0 == id }) ?? true else {
            throw OAuthRefusal(.invalidRequest, "The client_id in the form differs from that in the header.")
        }
        return try await authenticate(client, by: secret)
    }

    private nonisolated(nonsending) func authenticate(
        _ client: GatewayClient,
        by secret: String
    ) async throws(OAuthRefusal) -> GatewayClient {
        guard [.clientSecretBasic, .clientSecretPost].contains(client.metadata.authenticationMethod),
            let hash = client.secret, await passwords.matches(secret, hash)
        else { throw Self.unknownClient }
        return client
    }

    /// Authenticates a client by a JWT that it has signed (RFC 7523, section 3).
    private nonisolated(nonsending) func authenticateByAssertion(
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> GatewayClient {
        let form = request.parameters
        guard form["client_assertion_type"] == Self.assertionType, let text = form["client_assertion"],
            text.utf8.count <= 16_384, let assertion = try? JsonWebSignature(parsing: text),
            let claims = try? assertion.claims(), let id = claims["sub"]?.string, claims["iss"]?.string == id,
            form["client_id"].map({ $0 == id }) ?? true
        else { throw Self.unknownClient }
        guard let client = clients.client(id) else {
            throw OAuthRefusal.deregistered
        }
        guard client.metadata.authenticationMethod == .privateKeyJwt else { throw Self.unknownClient }
        try await Self.verify(assertion, of: client)
        let audience = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap { $0 }
        // The issuer or the token endpoint (RFC 7523, section 3), at the gateway's own paths or at the request's paths, or the request's
        // URL.
        let issuer = context.issuer
        let accepted = ["", "/token", request.issuerPath, request.issuerPath + "/access_token", request.path]
        guard audience.contains(where: { name in accepted.contains { issuer + $0 == name } }) else {
            throw OAuthRefusal(.invalidClient, "The assertion is for another server (aud).")
        }
        let now = context.now
        let time = now.timeIntervalSince1970
        let isConfigured = clients.isConfigured(id)
        let longest = isConfigured ? Self.maximumLifetime : Self.maximumLifetimeOfRegistered
        guard let end = claims["exp"]?.number, end > time, end <= time + longest else {
            throw OAuthRefusal(
                .invalidClient,
                "The assertion has expired, or expires in more than \(Int(longest)) seconds (exp)."
            )
        }
        guard claims["nbf"]?.number ?? time <= time + 60, claims["iat"]?.number ?? time <= time + 60 else {
            throw OAuthRefusal(.invalidClient, "The assertion is not valid yet (iat, nbf).")
        }
        guard let name = claims["jti"]?.string, (1...256).contains(name.utf8.count) else {
            throw OAuthRefusal(.invalidClient, "The assertion has no identifier of at most 256 bytes (jti).")
        }
        let (hash, until) = (SecretHash("\(id)\n\(name)"), Date(timeIntervalSince1970: end))
        let isNew =
            isConfigured
            ? usedAssertions.insertNew(id, for: hash, until: until, now: now)
            : usedByRegistered.insertNew(id, for: hash, until: until, now: now)
        guard isNew else {
            throw OAuthRefusal(
                .invalidClient,
                "The assertion was used before (jti), or the client sends too many."
            )
        }
        clients.markUsed(client)
        return client
    }

    private static nonisolated(nonsending) func verify(
        _ assertion: JsonWebSignature,
        of client: GatewayClient
    ) async throws(OAuthRefusal) {
        let keys = client.metadata.verificationKeys
        let candidates = assertion.keyID.map { id in keys.filter { $0.keyID == id || $0.keyID == nil } } ?? keys
        let algorithms = Set(SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
        for key in candidates.prefix(8) {
            do {
                return try assertion.verify(with: key, allowing: algorithms)
            } catch { continue }
        }
        throw OAuthRefusal(.invalidClient, "The assertion is not signed by a key of the client.")
    }
}

extension OAuthRefusal {
    /// The refusal of a device that is not registered any more, or never was.
    static let deregistered = OAuthRefusal(
        .invalidClient,
        "The client is not registered, or was deregistered.",
        members: ["reason": "device_deregistered"]
    )
}
