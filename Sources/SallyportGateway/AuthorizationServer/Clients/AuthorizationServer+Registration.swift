import Foundation
import SallyportJOSE

extension AuthorizationServer {
    /// How long a registered client is known, in seconds.
    private static let lifetime: TimeInterval = 24 * 3600

    /// Makes a client of what it says of itself (RFC 7591, section 3).
    func register(_ body: Data) throws(OAuthRefusal) -> [String: JsonValue] {
        guard configuration.allowsRegistration else {
            throw OAuthRefusal(.accessDenied, "Clients cannot register here.")
        }
        var metadata: ClientMetadata
        do {
            metadata = try JSONDecoder().decode(ClientMetadata.self, from: body)
        } catch {
            throw OAuthRefusal(
                .invalidClientMetadata,
                "The body is not the JSON of a client, or names what is not known here."
            )
        }
        metadata.scope = try scope(metadata.scope)
        if let mistake = metadata.mistake(among: configuration.signatureAlgorithms) { throw mistake }
        let id = Secret.randomName()
        let token = Secret.random()
        let end = now() + Self.lifetime
        var client = GatewayClient(id: id, metadata: metadata)
        var secret: String?
        if [.clientSecretBasic, .clientSecretPost].contains(metadata.authenticationMethod) {
            let random = Secret.random()
            client.secret = PasswordHash(hashingRandom: random)
            secret = random
        }
        let record = ClientRegistration(client: client, token: SecretHash(token), issuedAt: now(), end: end)
        guard registered.insertNew(record, for: id, until: end, now: now()) else {
            throw OAuthRefusal(.temporarilyUnavailable, "Too many clients have registered today.")
        }
        var answer = try record.members(issuer: issuer)
        answer["client_secret"] = secret.map { .string($0) }
        answer["registration_access_token"] = .string(token)
        return answer
    }

    /// Says what a client is registered as, but for its secrets, of which only hashes are kept (RFC 7592, section 2.1).
    func registration(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal) -> [String: JsonValue] {
        try registeredClient(id, request).members(issuer: issuer)
    }

    /// Forgets a client (RFC 7592, section 2.3).
    func unregister(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal) {
        _ = try registeredClient(id, request)
        registered.remove(id)
    }

    private func registeredClient(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal)
        -> ClientRegistration
    {
        guard let token = request.credentials("bearer"), let record = registered.value(for: id, now: now()),
            record.token == SecretHash(token)
        else { throw OAuthRefusal(.invalidToken, "The token is not that of this registration.") }
        return record
    }

    /// Returns the scopes that a client has asked for, or all that it can register for if it has not said.
    private func scope(_ asked: String?) throws(OAuthRefusal) -> String {
        let allowed = configuration.registrationScopes
        let scopes = asked?.split(separator: " ").map(String.init) ?? allowed
        guard scopes.allSatisfy(allowed.contains) else {
            throw OAuthRefusal(
                .invalidClientMetadata,
                "A client can register itself only for the scopes \(allowed.joined(separator: ", "))."
            )
        }
        return scopes.uniqued.joined(separator: " ")
    }

    /// The scopes that some client may ask for.
    var knownScopes: [String] {
        (["openid", "profile", "email", "offline_access", "api"] + configuration.registrationScopes
            + configuration.clients.flatMap(\.scopes)).uniqued
    }
}

/// A client that has registered itself.
struct ClientRegistration: Sendable {
    let client: GatewayClient
    /// What manages it.
    let token: SecretHash
    let issuedAt: Date
    let end: Date

    /// What the client is told of it.
    func members(issuer: String) throws(OAuthRefusal) -> [String: JsonValue] {
        do {
            let data = try JSONEncoder().encode(client.metadata)
            var members = try JSONDecoder().decode([String: JsonValue].self, from: data)
            members["client_id"] = .string(client.id)
            members["client_id_issued_at"] = .seconds(issuedAt)
            if client.secret != nil { members["client_secret_expires_at"] = .seconds(end) }
            members["registration_client_uri"] = .string("\(issuer)/register/\(client.id)")
            return members
        } catch {
            throw OAuthRefusal(.serverError, "The client could not be written.")
        }
    }
}
