import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTransport

/// Registers the device at the server (RFC 7591), and provides its OAuth client.
///
/// The key is generated and stored before anything is sent. The request proves it, and the server recognizes a device by its key. If the
/// process ends at any point, the next registration therefore sends the same key, and the server returns the same registration. Tasks of
/// this process share one request, and other processes wait for exclusive access to the store.
final class DeviceRegistrar: Sendable {
    private let configuration: DeviceIdentityConfiguration
    private let httpClient: HttpClient
    private let store: any RecordStore<DeviceIdentityRecord>
    private let server: OAuthServer
    private let registrations = SharedFetch<OAuthClient>()
    /// The client that was used last, with its cached metadata of the server, and the stored form of its key.
    private let lastClient = Locked<(client: OAuthClient, key: Data)?>(nil)

    init(
        _ configuration: DeviceIdentityConfiguration,
        httpClient: HttpClient,
        store: any RecordStore<DeviceIdentityRecord>
    ) {
        self.configuration = configuration
        self.httpClient = httpClient
        self.store = store
        server = OAuthServer(issuer: configuration.issuer, metadata: configuration.metadata, httpClient: httpClient)
    }

    /// The identity of the device in its sessions.
    var sessionIdentity: OAuthClientIdentity { configuration.sessionIdentity }

    // MARK: Using the registration

    /// Returns the record of the device; `nil` if it has none. No request is sent.
    func record() async throws -> DeviceIdentityRecord? {
        guard let record = try await store.load() else { return nil }
        guard record.owner == configuration.owner else {
            throw RecordStoreError(
                .malformed,
                "the stored device identity belongs to \(record.owner.appIdentifier) at \(record.owner.issuer), and was "
                    + "not used; use another store for each server and app"
            )
        }
        return record
    }

    /// Returns the key of a record.
    func key(of record: DeviceIdentityRecord) throws(JoseError) -> SigningKey {
        guard record.keyProvider == configuration.keys.name else {
            throw JoseError(
                .key,
                "It was created by \(record.keyProvider), and this device uses \(configuration.keys.name)."
            )
        }
        return try configuration.keys.signingKey(from: record.key)
    }

    /// Returns the client of the registered device.
    ///
    /// - Throws: ``DeviceIdentityError/notRegistered(_:)``.
    func registeredClient() async throws -> OAuthClient {
        guard let record = try await record(), let registration = record.registration else {
            throw DeviceIdentityError.notRegistered(DeviceIdentityError.unregistered)
        }
        return try client(for: registration, of: record)
    }

    /// Calls a closure with the client of the registered device.
    ///
    /// If the server reports that it has no registration of the device, the registration is removed from the store.
    ///
    /// - Parameters:
    ///   - registers: A Boolean value that indicates whether the device is registered if it is not. If it is, the closure is called once
    ///     more after a new registration.
    ///   - body: The closure.
    /// - Throws: ``DeviceIdentityError/deregistered(_:)``, or the error of the closure or the registration.
    func withClient<Value: Sendable>(
        registering registers: Bool,
        _ body: (OAuthClient) async throws -> Value
    ) async throws -> Value {
        let client = registers ? try await register() : try await registeredClient()
        do {
            return try await body(client)
        } catch let error as OAuthError where error.reportsDeregistration {
            try await remove(clientID: client.clientID)
            guard registers else { throw DeviceIdentityError.deregistered(DeviceIdentityError.deregistration) }
        }
        return try await body(try await register())
    }

    private func client(
        for registration: DeviceIdentityRecord.Registration,
        of record: DeviceIdentityRecord
    ) throws -> OAuthClient {
        let known = lastClient.withLock { last in
            last.flatMap {
                $0.client.clientID == registration.client.clientID && $0.key == record.key ? $0.client : nil
            }
        }
        if let known { return known }
        let key = try key(of: record)
        let client = OAuthClient(issuer: configuration.issuer, clientID: registration.client.clientID) { config in
            config.authentication = .privateKeyJwt(key)
            config.redirectURI = configuration.redirectURI
            config.metadata = configuration.metadata
            config.httpClient = httpClient
            config.clock = configuration.clock
        }
        lastClient.withLock { $0 = (client, record.key) }
        return client
    }

    // MARK: Registering

    /// The number of tasks that wait for the registration that another task sends.
    var waitingTasks: Int { registrations.waiterCount }

    /// Returns the client of the device, which is registered if it is not, or if the app has been updated since.
    func register() async throws -> OAuthClient {
        if let client = try await currentClient() { return client }
        return try await registrations.value { [self] in
            let limit = configuration.registrationLimit
            let timeout = NetworkError.timeout(
                NetworkFailure("the registration of the device took longer than \(Quantity.time(limit))")
            )
            return try await withTimeLimit(limit, clock: configuration.clock, orThrow: timeout) { [self] in
                try await store.withExclusiveAccess { [self] in
                    // Another process may have registered the device meanwhile.
                    if let client = try await currentClient() { return client }
                    return try await sendRegistration()
                }
            }
        }
    }

    /// Returns the client of the device if this app version has registered it.
    private func currentClient() async throws -> OAuthClient? {
        guard let record = try await record(), let registration = record.registration,
            registration.appVersion == configuration.appVersion
        else { return nil }
        return try client(for: registration, of: record)
    }

    /// Stores a key, unless there is one, and registers it.
    private func sendRegistration() async throws -> OAuthClient {
        var record: DeviceIdentityRecord
        if let stored = try await self.record() {
            record = stored
        } else {
            record = try newRecord()
            try await store.save(record)
        }
        let key = try key(of: record)
        guard let publicKey = key.publicJsonWebKey else {
            throw JoseError(.key, "The key of the device is symmetric.")
        }
        let client = try await server.register(
            configuration.registrationMembers(for: publicKey),
            provingKey: key
        )
        let method = client.members["token_endpoint_auth_method"]?.string
        guard method == nil || method == "private_key_jwt" else {
            throw OAuthError(
                failure: NetworkFailure(
                    "\(configuration.issuer) has registered the device without its key (token_endpoint_auth_method)",
                    advice: "ask the server's operator to support private_key_jwt"
                )
            )
        }
        if record.registration?.client.clientID != client.clientID { record.users = [] }
        let registration = DeviceIdentityRecord.Registration(
            client: client,
            appVersion: configuration.appVersion,
            date: configuration.clock.date()
        )
        record.registration = registration
        try await store.save(record)
        return try self.client(for: registration, of: record)
    }

    private func newRecord() throws(JoseError) -> DeviceIdentityRecord {
        DeviceIdentityRecord(
            owner: configuration.owner,
            keyProvider: configuration.keys.name,
            key: try configuration.keys.generateKey()
        )
    }

    // MARK: Changing and removing the registration

    /// Changes the users of a registration.
    ///
    /// - Throws: ``DeviceIdentityError/deregistered(_:)`` if another one has replaced it, or the error of the store.
    func changeUsers(of clientID: String, _ body: @Sendable (inout [String]) -> Void) async throws {
        try await store.withExclusiveAccess { [self] in
            guard var record = try await record(), record.registration?.client.clientID == clientID else {
                throw DeviceIdentityError.deregistered(DeviceIdentityError.deregistration)
            }
            body(&record.users)
            try await store.save(record)
        }
    }

    /// Replaces the record of a device that the server has deregistered by one with a new key, unless that has happened.
    private func remove(clientID: String) async throws {
        try await store.withExclusiveAccess { [self] in
            guard try await record()?.registration?.client.clientID == clientID else { return }
            try await store.save(newRecord())
        }
    }

    /// Deregisters the device at the server (RFC 7592, section 2.3), and removes the registration from its record.
    ///
    /// From then on no tokens are stored. The users remain in the record until ``removeRecord()``, so that a reset that fails can be
    /// repeated.
    ///
    /// - Parameter locally: A Boolean value that indicates whether no request is sent, and a record that cannot be read is ignored.
    /// - Returns: The subject identifiers of the registered users.
    func unregister(locally: Bool) async throws -> [String] {
        try await store.withExclusiveAccess { [self] in
            let stored: DeviceIdentityRecord?
            do {
                stored = try await record()
            } catch {
                guard locally else { throw error }
                stored = nil
            }
            guard var record = stored else { return [] }
            if !locally, let client = record.registration?.client, client.registrationURI != nil {
                do {
                    try await server.unregister(client)
                } catch let error as OAuthError where error.status == 401 || error.status == 404 {
                    // The server has deregistered the device already (RFC 7592, section 2.3).
                }
            }
            if record.registration != nil {
                record.registration = nil
                try await store.save(record)
            }
            return record.users
        }
    }

    /// Removes the record of the device with its key, unless the device has registered again.
    func removeRecord() async throws {
        try await store.withExclusiveAccess { [self] in
            if (try? await record())?.registration != nil { return }
            try await store.delete()
        }
    }
}
