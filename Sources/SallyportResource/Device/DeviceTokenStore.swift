import SallyportOAuth
import SallyportStorage

/// The tokens of a session of the device, which it can use only as long as the device is registered as it was when they were issued.
///
/// The stored tokens have the client identifier of the registration. The session knows the device by an identity that does not change,
/// because the device may register while the session exists. Tokens of an earlier registration are ignored.
struct DeviceTokenStore: TokenStore {
    private let tokens: any TokenStore
    private let registrar: DeviceRegistrar

    init(_ tokens: any TokenStore, registrar: DeviceRegistrar) {
        self.tokens = tokens
        self.registrar = registrar
    }

    func load() async throws -> TokenRecord? {
        guard var record = try await tokens.load(), try await record.client == registeredIdentity() else { return nil }
        record.client = registrar.sessionIdentity
        return record
    }

    func save(_ record: TokenRecord) async throws {
        guard let identity = try await registeredIdentity() else {
            throw RecordStoreError(
                .cannotWrite,
                "the tokens cannot be stored, because the device is not registered any more"
            )
        }
        var record = record
        record.client = identity
        try await tokens.save(record)
    }

    func delete() async throws { try await tokens.delete() }

    func withExclusiveAccess<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await tokens.withExclusiveAccess(body)
    }

    private func registeredIdentity() async throws -> OAuthClientIdentity? {
        let registration = try await registrar.record()?.registration
        return registration.map {
            OAuthClientIdentity(issuer: registrar.sessionIdentity.issuer, clientID: $0.client.clientID)
        }
    }
}
