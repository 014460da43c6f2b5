import Foundation
import SallyportJOSE

extension AuthorizationServer {
    private static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    /// How far ahead an assertion may end, in seconds.
    private static let longestAssertion: TimeInterval = 3600

    /// Finds out which client sends a request, by the one way that it uses (RFC 6749, section 2.3).
    func authenticate(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> GatewayClient {
        let form = request.parameters
        let ways = [!request.authorization.isEmpty, form["client_secret"] != nil, form["client_assertion"] != nil]
        guard ways.count(where: { $0 }) <= 1 else {
            throw OAuthRefusal(.invalidRequest, "The client authenticates in more than one way.")
        }
        if ways[0] { return try await authenticateByHeader(request) }
        if ways[2] { return try await authenticateByAssertion(request) }
        guard let client = client(try form.require("client_id")) else { throw Self.unknownClient }
        if let secret = form["client_secret"] { return try await check(secret, of: client) }
        guard client.isPublic else {
            throw OAuthRefusal(.invalidClient, "The client has to authenticate.")
        }
        return client
    }

    private static let unknownClient = OAuthRefusal(
        .invalidClient,
        "There is no such client, or it has authenticated otherwise than it is registered to."
    )

    private func authenticateByHeader(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> GatewayClient {
        guard let credentials = request.credentials("basic"), let data = Data(base64Encoded: credentials),
            let text = String(bytes: data, encoding: .utf8), let colon = text.firstIndex(of: ":"),
            let pair = try? FormParameters(parsing: "i=\(text[..<colon])&s=\(text[text.index(after: colon)...])"),
            let id = pair["i"], let secret = pair["s"], let client = client(id)
        else { throw Self.unknownClient }
        guard request.parameters["client_id"].map({ $0 == id }) ?? true else {
            throw OAuthRefusal(.invalidRequest, "The form names another client than the header.")
        }
        return try await check(secret, of: client)
    }

    private func check(_ secret: String, of client: GatewayClient) async throws(OAuthRefusal) -> GatewayClient {
        guard [.clientSecretBasic, .clientSecretPost].contains(client.metadata.authenticationMethod),
            let hash = client.secret, await passwords.matches(secret, hash)
        else { throw Self.unknownClient }
        return client
    }

    /// A token that the client has signed (RFC 7523, section 3).
    private func authenticateByAssertion(_ request: GatewayEndpointRequest) async throws(OAuthRefusal) -> GatewayClient
    {
        let form = request.parameters
        guard form["client_assertion_type"] == Self.assertionType, let text = form["client_assertion"],
            text.utf8.count <= 16_384, let assertion = try? JsonWebSignature(parsing: text),
            let claims = try? assertion.claims(), let id = claims["sub"]?.string, claims["iss"]?.string == id,
            form["client_id"].map({ $0 == id }) ?? true, let client = client(id),
            client.metadata.authenticationMethod == .privateKeyJwt
        else { throw Self.unknownClient }
        try await verify(assertion, of: client)
        let audience = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap { $0 }
        guard audience.contains(where: { [issuer, issuer + "/token", issuer + request.path].contains($0) }) else {
            throw OAuthRefusal(.invalidClient, "The assertion is for somebody else (aud).")
        }
        let time = now().timeIntervalSince1970
        guard let end = claims["exp"]?.number, end > time, end <= time + Self.longestAssertion else {
            throw OAuthRefusal(.invalidClient, "The assertion has ended, or does so in more than an hour (exp).")
        }
        guard claims["nbf"]?.number ?? time <= time + 60, claims["iat"]?.number ?? time <= time + 60 else {
            throw OAuthRefusal(.invalidClient, "The assertion is of the future (iat, nbf).")
        }
        guard let name = claims["jti"]?.string, (1...256).contains(name.utf8.count),
            seenAssertions.insertNew(
                id,
                for: SecretHash("\(id)\n\(name)"),
                until: Date(timeIntervalSince1970: end),
                now: now()
            )
        else {
            throw OAuthRefusal(
                .invalidClient,
                "The assertion has no name, was used before (jti), or is one of too many."
            )
        }
        return client
    }

    private func verify(_ assertion: JsonWebSignature, of client: GatewayClient) async throws(OAuthRefusal) {
        let keys = client.metadata.keys?.keys.filter { $0.use != "enc" && $0.keyType != "oct" } ?? []
        let named = assertion.keyID.map { id in keys.filter { $0.keyID == id || $0.keyID == nil } } ?? keys
        let algorithms = Set(SignatureAlgorithm.allCases.filter(\.isAsymmetric))
        for key in named.prefix(8) {
            do {
                return try await assertion.verify(with: key, allowing: algorithms)
            } catch { continue }
        }
        throw OAuthRefusal(.invalidClient, "The assertion is not signed by a key of the client.")
    }
}
