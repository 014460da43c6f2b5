import Foundation
import SallyportJOSE

/// The clients of an authorization server: the configured clients, and the clients that registered themselves (RFC 7591).
final class ClientRegistry {
    /// The lifetime of a registration, in seconds. For a device, it applies until the device authenticates.
    private static let lifetime: TimeInterval = 24 * 3600
    /// The maximum number of registrations. The registrations of four apps reach it.
    private static let limit = 8000

    private let context: ServerContext
    private let configured: [String: GatewayClient]
    /// The registrations. Each app has a share of them, and so do the clients that are not devices.
    private var registrations: ExpiringTable<String, ClientRegistration>
    /// The identifiers of the registered clients that have proven their keys, by the thumbprints of these keys.
    private var idsByKey = ExpiringTable<String, String>(limit: ClientRegistry.limit)

    /// Creates the clients of a configuration.
    ///
    /// - Parameters:
    ///   - context: The context.
    ///   - share: The maximum number of devices for each app, and of registered clients that are not devices.
    init(_ context: ServerContext, share: Int = 2000) {
        self.context = context
        registrations = ExpiringTable(limit: Self.limit, share: share) {
            $1.client.installation?.application.identifier ?? ""
        }
        configured = Dictionary(context.configuration.clients.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Returns the client with an identifier, or `nil`.
    func client(_ id: String) -> GatewayClient? {
        configured[id] ?? registrations.value(for: id, now: context.now)?.client
    }

    /// Returns a Boolean value that indicates whether a client is part of the configuration, so it did not register itself.
    func isConfigured(_ id: String) -> Bool { configured[id] != nil }

    /// Registers a client (RFC 7591, section 3).
    ///
    /// A client with `private_key_jwt` that proves its key can repeat its registration, for example because it has not
    /// received the response or because its metadata has changed. It keeps its identifier and gets a new registration
    /// access token. A request without a proof always registers another client, because anyone can know the public key.
    ///
    /// - Parameters:
    ///   - body: The client metadata in JSON.
    ///   - statement: The verified software statement of a device, which must prove its key; `nil` for any other client.
    ///   - proofKey: The thumbprint of the key that the request proves.
    /// - Returns: The members of the response, including the secrets, and `false` if the key was registered before.
    func register(
        _ body: Data,
        statement: SoftwareStatement? = nil,
        proofKey: String?
    ) throws(OAuthRefusal) -> (members: [String: JsonValue], isNew: Bool) {
        let metadata = try metadata(body, statement)
        let thumbprint = try Self.thumbprint(metadata)
        guard proofKey == nil || thumbprint == nil || proofKey == thumbprint else {
            throw OAuthRefusal(.invalidProof, "The proof is not signed by the first key for signatures in jwks.")
        }
        guard statement == nil || proofKey != nil else {
            throw OAuthRefusal(.invalidProof, "The registration of a device needs a proof of the key in jwks (DPoP).")
        }
        let provenKey = proofKey == nil ? nil : thumbprint
        let now = context.now
        let existing = provenKey.flatMap { idsByKey.value(for: $0, now: now) }.flatMap {
            registrations.value(for: $0, now: now)
        }
        let application = existing?.client.installation?.application.identifier
        guard existing == nil || application == statement?.installation.application.identifier else {
            // A device keeps its users and grants, which belong to one app.
            throw OAuthRefusal(
                .invalidClientMetadata,
                "The key is registered for another app or without a software statement. Generate a key for each app."
            )
        }
        let isUsed = existing?.isUsed == true
        let end = now + (isUsed ? context.lifetimes.deviceRegistration : Self.lifetime)
        let token = Secret.random()
        var client = GatewayClient(id: existing?.client.id ?? Secret.randomName(), metadata: metadata)
        if let statement {
            client.installation = statement.installation
            client.tokenClaims = statement.installation.tokenClaims
            client.impliesConsent = true
        }
        var secret: String?
        if [.clientSecretBasic, .clientSecretPost].contains(metadata.authenticationMethod) {
            let random = Secret.random()
            client.secret = PasswordHash(hashingRandom: random)
            secret = random
        }
        let registration = ClientRegistration(
            client: client,
            token: SecretHash(token),
            issuedAt: existing?.issuedAt ?? now,
            end: end,
            isUsed: isUsed
        )
        if existing != nil { registrations.remove(client.id) }
        guard registrations.insertNew(registration, for: client.id, until: end, now: now) else {
            throw OAuthRefusal(.temporarilyUnavailable, "Too many clients have registered. Try again tomorrow.")
        }
        if let provenKey { idsByKey.insert(client.id, for: provenKey, until: end, now: now) }
        var members = try registration.members(issuer: context.issuer)
        members["client_secret"] = secret.map { .string($0) }
        members["registration_access_token"] = .string(token)
        return (members, existing == nil)
    }

    /// Extends the registration of a device that has authenticated for the first time. Registrations that are not used end after a day.
    func markUsed(_ client: GatewayClient) {
        guard client.installation != nil, let registration = registrations.value(for: client.id, now: context.now),
            !registration.isUsed
        else { return }
        let end = context.now + context.lifetimes.deviceRegistration
        registrations.update(client.id, now: context.now) { registration in
            registration.isUsed = true
            registration.end = end
        }
        registrations.extend(client.id, until: end)
        if let thumbprint = try? Self.thumbprint(registration.client.metadata) {
            idsByKey.extend(thumbprint, until: end)
        }
    }

    /// The registered devices.
    var devices: [GatewayClient] {
        let now = context.now
        return registrations.keys { $0.client.installation != nil }
            .compactMap { registrations.value(for: $0, now: now)?.client }
    }

    private func metadata(_ body: Data, _ statement: SoftwareStatement?) throws(OAuthRefusal) -> ClientMetadata {
        var metadata: ClientMetadata
        do {
            metadata = try JSONDecoder().decode(ClientMetadata.self, from: body)
        } catch {
            throw OAuthRefusal(
                .invalidClientMetadata,
                "The body is not client metadata in JSON, or contains an unsupported value."
            )
        }
        if let statement {
            metadata = try statement.applied(to: metadata)
        } else {
            metadata.scope = try scope(metadata.scope)
            guard !metadata.grantTypes.contains(GrantType.implicitAuthentication.rawValue) else {
                throw OAuthRefusal(
                    .invalidSoftwareStatement,
                    "The grant type of implicit authentication is for devices, which need a software_statement."
                )
            }
        }
        if let mistake = metadata.mistake(among: context.configuration.signatureAlgorithms) { throw mistake }
        return metadata
    }

    /// Returns the thumbprint of the key that identifies a client with `private_key_jwt`, or `nil` for another client.
    private static func thumbprint(_ metadata: ClientMetadata) throws(OAuthRefusal) -> String? {
        guard metadata.authenticationMethod == .privateKeyJwt, let key = metadata.verificationKeys.first else {
            return nil
        }
        do {
            return try key.thumbprint()
        } catch {
            throw OAuthRefusal(.invalidClientMetadata, "The first key for signatures in jwks is incomplete.")
        }
    }

    /// Returns the metadata of a registered client, without its secrets: only their hashes are stored (RFC 7592, section 2.1).
    func registration(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal) -> [String: JsonValue] {
        try authorizedRegistration(id, request).members(issuer: context.issuer)
    }

    /// Deletes a registration (RFC 7592, section 2.3).
    func unregister(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal) {
        _ = try authorizedRegistration(id, request)
        unregister(id)
    }

    /// Deletes a registration.
    ///
    /// - Returns: `false` if there is no such registration.
    @discardableResult
    func unregister(_ id: String) -> Bool {
        guard let registration = registrations.remove(id) else { return false }
        if let thumbprint = try? Self.thumbprint(registration.client.metadata),
            idsByKey.value(for: thumbprint, now: context.now) == id
        {
            idsByKey.remove(thumbprint)
        }
        return true
    }

    /// Returns a registration if the request carries its registration access token.
    private func authorizedRegistration(
        _ id: String,
        _ request: GatewayEndpointRequest
    ) throws(OAuthRefusal) -> ClientRegistration {
        guard let token = request.credentials("bearer"),
            let registration = registrations.value(for: id, now: context.now), registration.token == SecretHash(token)
        else { throw OAuthRefusal(.invalidToken, "The registration access token is missing or wrong.") }
        return registration
    }

    /// Returns the requested scopes, or all scopes that a client can register for if it requests none.
    private func scope(_ requested: String?) throws(OAuthRefusal) -> String {
        let allowed = context.configuration.registrationScopes
        let scopes = requested?.split(separator: " ").map(String.init) ?? allowed
        guard scopes.allSatisfy(allowed.contains) else {
            throw OAuthRefusal(
                .invalidClientMetadata,
                "A client can register only for the scopes \(allowed.joined(separator: ", "))."
            )
        }
        return scopes.uniqued.joined(separator: " ")
    }
}

/// A client that registered itself.
private struct ClientRegistration: Sendable {
    let client: GatewayClient
    /// The hash of the registration access token.
    let token: SecretHash
    let issuedAt: Date
    var end: Date
    /// A Boolean value that indicates whether it is the registration of a device that has authenticated.
    var isUsed: Bool

    /// Returns the members of the client information response, without secrets (RFC 7591, section 3.2.1).
    func members(issuer: String) throws(OAuthRefusal) -> [String: JsonValue] {
        do {
            let data = try JSONEncoder().encode(client.metadata)
            var members = try JSONDecoder().decode([String: JsonValue].self, from: data)
            members.merge(client.installation?.tokenClaims ?? [:]) { own, _ in own }
            members["client_id"] = .string(client.id)
            members["client_id_issued_at"] = .seconds(issuedAt)
            if client.secret != nil { members["client_secret_expires_at"] = .seconds(end) }
            members["registration_client_uri"] = .string("\(issuer)/register/\(client.id)")
            return members
        } catch {
            throw OAuthRefusal(.serverError, "The client metadata could not be encoded.")
        }
    }
}
