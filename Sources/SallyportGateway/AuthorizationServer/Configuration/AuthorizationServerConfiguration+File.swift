import Foundation
import SallyportJOSE

extension AuthorizationServerConfiguration {
    /// Reads a configuration in JSON.
    ///
    /// ```json
    /// {
    ///   "users": [{"username": "alice", "password": "scrypt$ln=14,r=8,p=1$…$…", "claims": {"name": "Alice"}}],
    ///   "clients": [{
    ///     "client_id": "app", "token_endpoint_auth_method": "none", "redirect_uris": ["http://127.0.0.1/cb"],
    ///     "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile api"
    ///   }],
    ///   "lifetimes": {"access_token": 60, "refresh_token_reuse": 5},
    ///   "demands_proof_nonces": true
    /// }
    /// ```
    ///
    /// Clients have the members of RFC 7591; a `client_secret` is hashed like a password, and `token_exchange_clients` is
    /// described at ``GatewayClient/tokenExchangeClients``. Lifetimes are in seconds and have the names of
    /// ``GatewayLifetimes`` in snake case; `refresh_token_reuse` 0 makes every second use of a refresh token end its grant.
    ///
    /// - Throws: ``GatewayError/invalidIdentity(_:)``, which says where the mistake is and quotes no secret.
    public init(json: Data) throws(GatewayError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch let error as GatewayError {
            throw error
        } catch let error as DecodingError {
            throw .invalidIdentity(error.sentence)
        } catch {
            throw .invalidIdentity("The configuration is not JSON.")
        }
        try validate()
    }

    /// - Throws: ``GatewayError/invalidIdentity(_:)`` where names repeat or a client cannot do what it is registered for.
    func validate() throws(GatewayError) {
        guard Set(users.map(\.username)).count == users.count, Set(users.map(\.subject)).count == users.count else {
            throw .invalidIdentity("Two users have the same name or subject.")
        }
        guard Set(clients.map(\.id)).count == clients.count else {
            throw .invalidIdentity("Two clients have the same client_id.")
        }
        guard !signatureAlgorithms.isEmpty, signatureAlgorithms.allSatisfy(\.isAsymmetric) else {
            throw .invalidIdentity("Tokens have to be signed by a private key: ES256, RS256 and the like.")
        }
        for client in clients {
            if let unknown = client.tokenExchangeClients.first(where: { id in !clients.contains { $0.id == id } }) {
                throw .invalidIdentity(
                    "The client \(client.id): there is no client \(unknown) (token_exchange_clients)."
                )
            }
            if let mistake = client.metadata.mistake(among: signatureAlgorithms) {
                throw .invalidIdentity("The client \(client.id): \(mistake.description)")
            }
            let needsSecret = [.clientSecretBasic, .clientSecretPost].contains(client.metadata.authenticationMethod)
            guard needsSecret == (client.secret != nil) else {
                throw .invalidIdentity(
                    needsSecret
                        ? "The client \(client.id) has no client_secret to authenticate with."
                        : "The client \(client.id) has a client_secret, but does not authenticate with one."
                )
            }
        }
    }
}

extension AuthorizationServerConfiguration: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case users, clients, lifetimes, issuer
        case signatureAlgorithms = "signature_algorithms"
        case rotatesRefreshTokens = "rotates_refresh_tokens"
        case demandsProofNonces = "demands_proof_nonces"
        case allowsRegistration = "allows_registration"
        case registrationScopes = "registration_scopes"
        case allowsDevelopmentCalls = "allows_development_calls"
    }

    /// Reads a configuration as ``init(json:)`` does.
    public init(from decoder: any Decoder) throws {
        let known = CodingKeys.allCases.map(\.rawValue)
        if let unknown = try [String: JsonValue](from: decoder).keys.sorted().first(where: { !known.contains($0) }) {
            throw GatewayError.invalidIdentity(
                "\"\(unknown)\" is not known; there is \(known.joined(separator: ", "))."
            )
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            users: try container.decodeIfPresent([GatewayUser].self, forKey: .users) ?? [],
            clients: try container.decodeIfPresent([GatewayClient].self, forKey: .clients) ?? []
        )
        lifetimes = try container.decodeIfPresent(GatewayLifetimes.self, forKey: .lifetimes) ?? lifetimes
        issuer = try container.decodeIfPresent(String.self, forKey: .issuer)
        signatureAlgorithms =
            try container.decodeIfPresent([SignatureAlgorithm].self, forKey: .signatureAlgorithms)
            ?? signatureAlgorithms
        func read(_ key: CodingKeys, into value: inout Bool) throws {
            value = try container.decodeIfPresent(Bool.self, forKey: key) ?? value
        }
        registrationScopes =
            try container.decodeIfPresent([String].self, forKey: .registrationScopes) ?? registrationScopes
        try read(.rotatesRefreshTokens, into: &rotatesRefreshTokens)
        try read(.demandsProofNonces, into: &demandsProofNonces)
        try read(.allowsRegistration, into: &allowsRegistration)
        try read(.allowsDevelopmentCalls, into: &allowsDevelopmentCalls)
    }
}

extension DecodingError {
    /// Where the mistake is and what it is, without the value that is wrong.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.place(context)) has no \"\(key.stringValue)\"."
        case .valueNotFound(_, let context): "\(Self.place(context)) is null."
        case .typeMismatch(let type, let context): "\(Self.place(context)) is not a value of the kind \(type)."
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "The configuration is not JSON."
        case .dataCorrupted(let context): "\(Self.place(context)) is not one of the values that are known or allowed."
        @unknown default: "The configuration cannot be read."
        }
    }

    private static func place(_ context: Context) -> String {
        let path = context.codingPath.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return path.isEmpty ? "The configuration" : String(path.drop { $0 == "." })
    }
}
