import SallyportJOSE

/// The devices that have registered, and their requests about themselves and their users.
final class RegisteredDevices {
    private let context: ServerContext
    private let clients: ClientRegistry
    private let authenticator: ClientAuthenticator
    private let deviceUsers: DeviceUsers

    init(_ context: ServerContext, clients: ClientRegistry, authenticator: ClientAuthenticator, users: DeviceUsers) {
        self.context = context
        self.clients = clients
        self.authenticator = authenticator
        deviceUsers = users
    }

    /// The devices, in no particular order.
    var all: [RegisteredDevice] {
        let users = deviceUsers.subjectsByDevice
        return clients.devices.compactMap { client in
            client.installation.map { installation in
                RegisteredDevice(
                    clientID: client.id,
                    appIdentifier: installation.application.identifier,
                    appVersion: installation.version,
                    platform: installation.platform,
                    users: users[client.id] ?? []
                )
            }
        }
    }

    /// Deletes the registration of a device or another client, for its own request (RFC 7592, section 2.3).
    func unregister(_ id: String, _ request: GatewayEndpointRequest) throws(OAuthRefusal) {
        try clients.unregister(id, request)
        deviceUsers.deregister(nil, on: id)
    }

    /// Deletes the registration of a device, for its operator.
    ///
    /// - Returns: `false` if there is no device with this client identifier.
    func deregister(_ id: String) -> Bool {
        guard clients.client(id)?.installation != nil else { return false }
        clients.unregister(id)
        deviceUsers.deregister(nil, on: id)
        return true
    }

    /// Returns the users who are registered on the device that sends a request.
    nonisolated(nonsending) func users(
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        try context.configuration.minimumVersions.check(request.userAgent)
        let device = try await device(request)
        let users: [JsonValue] = deviceUsers.users(of: device.id).map { user in
            ["sub": .string(user.subject), "registered_at": .seconds(user.registeredAt)]
        }
        return ["users": .array(users)]
    }

    /// Deregisters a user on the device that sends a request, which may have an outdated version: users can always log out.
    nonisolated(nonsending) func deregisterUser(
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> [String: JsonValue] {
        let device = try await device(request)
        deviceUsers.deregister(try request.parameters.require("sub"), on: device.id)
        return [:]
    }

    private nonisolated(nonsending) func device(
        _ request: GatewayEndpointRequest
    ) async throws(OAuthRefusal) -> GatewayClient {
        let client = try await authenticator.authenticate(request)
        guard client.installation != nil else {
            throw OAuthRefusal(.unauthorizedClient, "Only a device has registered users.")
        }
        return client
    }
}

/// An installation of an app that has registered with a software statement.
public struct RegisteredDevice: Sendable, Equatable {
    /// The client identifier.
    public let clientID: String
    /// The identifier of the app.
    public let appIdentifier: String
    /// The version of the app.
    public let appVersion: String
    /// The platform.
    public let platform: String
    /// The subject identifiers of the users who are registered on the device, sorted.
    public let users: [String]
}
