import Foundation
import SallyportJOSE

/// The users who are registered on devices, and the tokens that devices get for them without interaction.
final class DeviceUsers {
    private struct Registration: Sendable {
        let device: String
        let username: String
        let subject: String
        /// The path at the end of the issuer identifier at which the user signed in last; see ``EndpointPaths/issuer``.
        let issuerPath: String
        let registeredAt: Date
    }

    private let context: ServerContext
    private let clients: ClientRegistry
    private let accounts: UserAccounts
    private let grants: GrantTable
    private let issuer: TokenIssuer
    private var registrations = ExpiringTable<[String], Registration>(limit: 65_536) { $1.device }

    init(
        _ context: ServerContext,
        clients: ClientRegistry,
        accounts: UserAccounts,
        grants: GrantTable,
        issuer: TokenIssuer
    ) {
        self.context = context
        self.clients = clients
        self.accounts = accounts
        self.grants = grants
        self.issuer = issuer
    }

    /// Registers the user of a grant on the device that has redeemed the user's code, unless the client is not a device, or the grant
    /// has been revoked since.
    func register(_ grant: Grant, on client: GatewayClient) {
        guard client.installation != nil, let username = grant.username, grants.isActive(grant) else { return }
        let now = context.now
        let key = [client.id, grant.subject]
        let registration = Registration(
            device: client.id,
            username: username,
            subject: grant.subject,
            issuerPath: grant.issuerPath,
            registeredAt: registrations.value(for: key, now: now)?.registeredAt ?? now
        )
        registrations.insert(registration, for: key, until: now + context.lifetimes.deviceRegistration, now: now)
    }

    /// Returns the subjects of the users who are registered on a device, sorted, with the times of their registrations.
    func users(of device: String) -> [(subject: String, registeredAt: Date)] {
        let now = context.now
        return registrations.keys { $0.device == device }
            .compactMap { registrations.value(for: $0, now: now) }
            .map { ($0.subject, $0.registeredAt) }
            .sorted { $0.0 < $1.0 }
    }

    /// The subjects of all registered users by device, sorted.
    var subjectsByDevice: [String: [String]] {
        let now = context.now
        let all = registrations.keys { _ in true }.compactMap { registrations.value(for: $0, now: now) }
        return Dictionary(grouping: all, by: \.device).mapValues { $0.map(\.subject).sorted() }
    }

    /// Deregisters a user, and revokes the grants of devices for the user, even if the user is not registered any more.
    ///
    /// - Parameters:
    ///   - subject: The user; `nil` for all users.
    ///   - device: The device; `nil` for all devices.
    /// - Returns: The number of registrations that have ended.
    @discardableResult
    func deregister(_ subject: String?, on device: String?) -> Int {
        let keys = registrations.keys { registration in
            subject.map { $0 == registration.subject } ?? true && device.map { $0 == registration.device } ?? true
        }
        for key in keys { registrations.remove(key) }
        grants.revokeAll { grant in
            guard subject.map({ $0 == grant.subject }) ?? true else { return false }
            return device.map { $0 == grant.clientID } ?? (clients.client(grant.clientID)?.installation != nil)
        }
        return keys.count
    }

    /// Issues an access token for a registered user, without interaction.
    nonisolated(nonsending) func authenticateImplicitly(
        _ request: TokenRequest
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        guard request.client.installation != nil else {
            throw OAuthRefusal(.unauthorizedClient, "Only a device can use this grant type.")
        }
        let subject = try request.parameters.require("sub")
        let registered = registrations.value(for: [request.client.id, subject], now: context.now)
        guard let registered, registered.issuerPath == request.issuerPath,
            accounts.user(named: registered.username)?.subject == subject
        else {
            throw OAuthRefusal(
                .invalidGrant,
                "The user is not registered on this device.",
                members: ["reason": "user_not_registered"]
            )
        }
        let allowed = request.client.scopes(.implicitAuthentication)
        guard !allowed.isEmpty else {
            throw OAuthRefusal(.invalidScope, "The device has no scope for this grant type.")
        }
        let grant = Grant(
            id: Secret.randomName(),
            clientID: request.client.id,
            username: registered.username,
            subject: subject,
            scopes: try request.scopes(among: allowed, default: allowed),
            issuerPath: request.issuerPath
        )
        grants.begin(grant)
        return try await issuer.response(grant, request, scopes: grant.scopes)
    }
}
