import Crypto
import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct DeviceRegistrationTests {
    private let server = MockDeviceServer()

    @Test func `The key is stored before the registration is sent, and the registration before a token is requested`()
        async throws
    {
        let stores = DeviceStores.memory()
        server.onRegistration {
            let record = try await stores.device.load()
            #expect(record != nil)
            #expect(record?.registration == nil)
        }
        let identity = server.identity(stores)
        try await identity.authenticateDevice(scopes: ["catalog"])
        let record = try await stores.device.load()
        #expect(record?.registration?.client.clientID == "device-1")
        #expect(try await identity.deviceSession.tokens().accessToken == "token-2-of-device-1")
        let paths = server.transport.requests.map(\.path)
        #expect(paths.filter { !$0.hasPrefix("/.well-known") } == ["/register", "/token"])
        let form = server.forms("/token").first
        #expect(form?["grant_type"] == "client_credentials")
        #expect(form?["scope"] == "catalog")
    }

    @Test func `A registration contains the statement, the app, the public key and the grants`() async throws {
        try await server.identity().authenticateDevice(scopes: [])
        let request = try #require(server.transport.requests.first { $0.path == "/register" })
        let members = try JSONDecoder().decode([String: JsonValue].self, from: request.body)
        #expect(members["software_statement"] == "canary-statement")
        #expect(members["software_id"] == "com.example.app")
        #expect(members["software_version"] == "2.1.0")
        #expect(members["app_platform"] == "ios")
        #expect(members["token_endpoint_auth_method"] == "private_key_jwt")
        #expect(members["redirect_uris"] == ["com.example.app:/callback"])
        #expect(
            members["grant_types"] == [
                "client_credentials", "authorization_code", "refresh_token",
                "urn:sallyport:params:oauth:grant-type:implicit-authentication",
            ]
        )
        let key = try #require(members["jwks"]?["keys"]?.array?.first?.object)
        #expect(key["crv"] == "P-256")
        #expect(key["d"] == nil)
    }

    @Test func `Without a redirect URI, a device registers for its own credentials only`() async throws {
        try await server.identity { $0.redirectURI = nil }.authenticateDevice(scopes: [])
        let request = try #require(server.transport.requests.first { $0.path == "/register" })
        let members = try JSONDecoder().decode([String: JsonValue].self, from: request.body)
        #expect(members["grant_types"] == ["client_credentials"])
        #expect(members["redirect_uris"] == nil)
    }

    @Test func `100 tasks register a device once`() async throws {
        let identity = server.identity()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await identity.authenticateDevice(scopes: []) } }
            try await group.waitForAll()
        }
        #expect(server.count("/register") == 1)
        #expect(server.clients == ["device-1"])
    }

    @Test func `Identities that share files register a device once`() async throws {
        try await withTemporaryDirectory { folder in
            let identities = (0..<8).map { _ in server.identity(.files(in: folder, key: nil)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for identity in identities { group.addTask { try await identity.authenticateDevice(scopes: []) } }
                try await group.waitForAll()
            }
            #expect(server.count("/register") == 1)
            #expect(try await server.identity(.files(in: folder)).registration()?.clientID == "device-1")
        }
    }

    @Test func `A registration whose response was not stored is repeated with the same key, for the same device`()
        async throws
    {
        let stores = DeviceStores.memory()
        try await server.identity(stores).authenticateDevice(scopes: [])
        let first = try #require(try await stores.device.load())

        // The state after a process that ended before it stored the response.
        var unconfirmed = first
        unconfirmed.registration = nil
        try await stores.device.save(unconfirmed)
        try await server.identity(stores).authenticateDevice(scopes: [])
        let second = try #require(try await stores.device.load())
        #expect(second.key == first.key)
        #expect(second.registration?.client.clientID == "device-1")
        #expect(server.clients == ["device-1"])
        #expect(server.count("/register") == 2)
    }

    @Test func `A registration that fails keeps the key for the next attempt`() async throws {
        let stores = DeviceStores.memory()
        let identity = server.identity(stores)
        server.replaceResponses("/register", MockDeviceServer.refusal("temporarily_unavailable", status: 503))
        await expectError(\DeviceIdentityError.kind, "refused") { try await identity.authenticateDevice(scopes: []) }
        let key = try await stores.device.load()?.key
        #expect(key != nil)
        try await identity.authenticateDevice(scopes: [])
        #expect(try await stores.device.load()?.key == key)
    }

    @Test func `A task that is cancelled during a registration does not cancel it for the others`() async throws {
        let registrar = DeviceRegistrar(
            server.identity().configuration,
            httpClient: HttpClient.createClient { $0.transport = server.transport },
            store: DeviceStores.memory().device
        )
        let hasArrived = Signal()
        let mayContinue = Signal()
        server.onRegistration {
            hasArrived.fire()
            try await mayContinue.wait()
        }
        let first = Task { try await registrar.register() }
        try await hasArrived.wait()
        let second = Task { try await registrar.register() }
        #expect(try await eventually { registrar.waitingTasks == 1 ? true : nil } == true)
        first.cancel()
        await expectError(\DeviceIdentityError.kind, "network") {
            do { return try await first.value } catch { throw DeviceIdentityError(wrapping: error) }
        }
        mayContinue.fire()
        #expect(try await second.value.clientID == "device-1")
        #expect(server.clients == ["device-1"])
    }

    @Test func `A registration ends at its limit`() async throws {
        let identity = server.identity { $0.registrationLimit = .milliseconds(20) }
        server.replaceResponses("/register", .stall)
        let error = await expectError(\DeviceIdentityError.kind, "network") {
            try await identity.authenticateDevice(scopes: [])
        }
        #expect(error?.description == "the registration of the device took longer than 20 ms")
    }

    @Test func `An update of the app registers again with the same key, and keeps its users`() async throws {
        let stores = DeviceStores.memory()
        let old = server.identity(stores)
        try await old.registerUser(with: server.signIn(), scopes: [])
        let first = try #require(try await old.registration())
        let new = server.identity(stores, version: "2.2.0")
        try await new.authenticateDevice(scopes: [])
        let second = try #require(try await new.registration())
        #expect(second.clientID == first.clientID)
        #expect(second.keyThumbprint == first.keyThumbprint)
        #expect(second.appVersion == "2.2.0")
        #expect(second.users == ["alice"])
        #expect(server.count("/register") == 2)
        #expect(server.clients.count == 1)
    }

    @Test func `A device that the server has deregistered registers again with a new key and is authenticated`()
        async throws
    {
        let stores = DeviceStores.memory()
        let identity = server.identity(stores)
        try await identity.authenticateDevice(scopes: ["catalog"])
        let first = try #require(try await identity.registration())
        server.deregisterDevices()
        try await identity.authenticateDevice(scopes: ["catalog"])
        let second = try #require(try await identity.registration())
        #expect(second.clientID != first.clientID)
        #expect(second.keyThumbprint != first.keyThumbprint)
        #expect(server.clients == [second.clientID])
        #expect(try await identity.deviceSession.tokens().accessToken.hasSuffix(second.clientID))
    }

    @Test func `A refused authentication of a registered device is not valid, and keeps the registration`() async throws
    {
        let identity = server.identity()
        try await identity.authenticateDevice(scopes: [])
        server.replaceResponses("/token", MockDeviceServer.refusal("invalid_client", status: 401))
        await expectError(\DeviceIdentityError.kind, "notValid") { try await identity.authenticateDevice(scopes: []) }
        #expect(try await identity.registration()?.clientID == "device-1")
        #expect(server.count("/register") == 1)
    }

    @Test(
        arguments: [
            ("invalid_software_statement", "notValid"), ("unapproved_software_statement", "notValid"),
            ("outdated_app", "outdatedApp"), ("outdated_os", "outdatedSystem"), ("invalid_client_metadata", "refused"),
        ]
    )
    func `A refused registration has an error of its own`(code: String, kind: String) async {
        server.replaceResponses(
            "/register",
            MockDeviceServer.json(["error": .string(code), "minimum_version": "3.0"], status: 400)
        )
        let identity = server.identity()
        let error = await expectError(\DeviceIdentityError.kind, kind) {
            try await identity.authenticateDevice(scopes: [])
        }
        if kind.hasPrefix("outdated") { #expect(error?.description.contains("at least 3.0") == true) }
        #expect(server.count("/token") == 0)
    }

    @Test func `A device that is not registered, and one that is not authenticated, have errors of their own`()
        async throws
    {
        let identity = server.identity()
        #expect(try await identity.registration() == nil)
        await expectError(\DeviceIdentityError.kind, "notRegistered") {
            try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        }
        #expect(server.transport.requests.isEmpty)
        try await identity.authenticateDevice(scopes: [])
        #expect(try await identity.deviceSession.current() != nil)
        try await identity.deviceSession.reset()
        #expect(try await identity.registration() != nil)
        let error = await #expect(throws: OAuthSessionError.self) { try await identity.deviceSession.tokens() }
        #expect(error.map { DeviceIdentityError(wrapping: $0).kind } == "notAuthenticated")
    }

    @Test func `The identity of another app is neither used nor replaced`() async throws {
        let stores = DeviceStores.memory()
        try await server.identity(stores).authenticateDevice(scopes: [])
        let other = server.identity(stores) { $0.appIdentifier = "com.example.other" }
        await expectError(\DeviceIdentityError.kind, "store") { try await other.authenticateDevice(scopes: []) }
        #expect(try await server.identity(stores).registration()?.clientID == "device-1")
        #expect(server.count("/register") == 1)
    }

    @Test func `A key of another provider is not used`() async throws {
        struct OtherKeys: DeviceKeyProvider {
            var name: String { "other" }
            func generateKey() throws(JoseError) -> Data { try SoftwareDeviceKeys().generateKey() }
            func signingKey(from stored: Data) throws(JoseError) -> SigningKey {
                try SoftwareDeviceKeys().signingKey(from: stored)
            }
        }
        let stores = DeviceStores.memory()
        try await server.identity(stores).authenticateDevice(scopes: [])
        let other = server.identity(stores) { $0.keys = OtherKeys() }
        await expectError(\DeviceIdentityError.kind, "key") { try await other.authenticateDevice(scopes: []) }
        #expect(server.count("/register") == 1)
    }

    @Test func `A key that hardware keeps registers and authenticates a device`() async throws {
        /// Keeps keys outside of the record, as the Secure Enclave does.
        struct HardwareKeys: DeviceKeyProvider {
            var name: String { "hardware" }
            func generateKey() throws(JoseError) -> Data { try SoftwareDeviceKeys().generateKey() }
            func signingKey(from stored: Data) throws(JoseError) -> SigningKey {
                let key = try SoftwareDeviceKeys().signingKey(from: stored)
                guard let publicKey = key.publicJsonWebKey, let number = key.privateJsonWebKey?.members["d"]?.string,
                    let bytes = Base64Url.decode(number)
                else { throw JoseError(.key, "The key is incomplete.") }
                return try SigningKey(publicKey: publicKey, algorithm: .es256) { data in
                    try P256.Signing.PrivateKey(rawRepresentation: bytes).signature(for: data).rawRepresentation
                }
            }
        }
        let identity = server.identity { $0.keys = HardwareKeys() }
        try await identity.authenticateDevice(scopes: [])
        #expect(try await identity.registration()?.keyProvider == "hardware")
        #expect(server.clients == ["device-1"])
    }

    @Test func `Descriptions contain neither the key nor the registration access token`() async throws {
        let stores = DeviceStores.memory()
        let identity = server.identity(stores)
        try await identity.authenticateDevice(scopes: [])
        let record = try #require(try await stores.device.load())
        let number = try SoftwareDeviceKeys().signingKey(from: record.key).privateJsonWebKey?.members["d"]?.string
        var dumped = ""
        dump(record, to: &dumped)
        dump(try await identity.registration(), to: &dumped)
        let text = "\(record) \(String(reflecting: record)) \(identity) \(dumped)"
        #expect(!text.contains("canary-registration"))
        #expect(!text.contains(try #require(number)))
    }
}
