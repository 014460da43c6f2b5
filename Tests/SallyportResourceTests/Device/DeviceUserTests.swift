import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct DeviceUserTests {
    private let server = MockDeviceServer()

    private func signIn(_ user: String = "alice") -> InstantSignIn { server.signIn(user) }

    @Test func `A sign-in registers the device and the user, and its tokens are those of the user's session`()
        async throws
    {
        let identity = server.identity()
        #expect(try await identity.registerUser(with: signIn(), scopes: ["accounts"]) == "alice")
        #expect(try await identity.registeredUsers() == ["alice"])
        let tokens = try await identity.userSession.tokens()
        #expect(tokens.accessToken == "access-of-alice")
        #expect(tokens.scope == "openid accounts")
        #expect(server.count("/register") == 1)
        // The device itself has no tokens yet.
        #expect(try await identity.registration() != nil)
        #expect(try await identity.deviceSession.current() == nil)
    }

    @Test func `A sign-in without an id_token, or of an app without a redirect URI, is an error`() async throws {
        let anonymous = server.signIn(hasIdToken: false)
        let identity = server.identity()
        await expectError(\DeviceIdentityError.kind, "signIn") {
            try await identity.registerUser(with: anonymous, scopes: [])
        }
        #expect(try await identity.registeredUsers().isEmpty)
        let other = MockDeviceServer()
        let incomplete = other.identity { $0.redirectURI = nil }
        await expectError(\DeviceIdentityError.kind, "invalidConfiguration") {
            try await incomplete.registerUser(with: signIn(), scopes: [])
        }
        #expect(other.transport.requests.isEmpty)
    }

    @Test func `A sign-in that the app cancels is a cancellation`() async throws {
        struct Cancelled: DeviceSignIn {
            func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
                throw CancellationError()
            }
        }
        let error = await expectError(\DeviceIdentityError.kind, "network") {
            try await server.identity().registerUser(with: Cancelled(), scopes: [])
        }
        guard case .network(.cancelled) = error else { Issue.record("\(String(describing: error))"); return }
    }

    @Test func `A sign-in that fails is reported without its text`() async throws {
        struct Failing: DeviceSignIn {
            struct Problem: Error, CustomStringConvertible { let description = "canary" }
            func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens { throw Problem() }
        }
        let error = await expectError(\DeviceIdentityError.kind, "signIn") {
            try await server.identity().registerUser(with: Failing(), scopes: [])
        }
        #expect(error?.description.contains("canary") == false)
    }

    @Test func `The error of a sign-in that the server refuses is the server's`() async throws {
        struct Refused: DeviceSignIn {
            func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
                throw OAuthError(error: "access_denied", failure: "the user refused")
            }
        }
        let identity = server.identity()
        await expectError(\DeviceIdentityError.kind, "refused") {
            try await identity.registerUser(with: Refused(), scopes: [])
        }
        #expect(try await identity.registration() != nil)
    }

    @Test func `A sign-in by a device that the server has deregistered is repeated with a new registration`()
        async throws
    {
        struct Flaky: DeviceSignIn {
            let signIn: InstantSignIn
            func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
                // Requests a token first, as a pushed authorization request would be authenticated.
                _ = try await client.clientCredentialsTokens()
                return try await signIn.tokens(from: client, scopes: scopes)
            }
        }
        let identity = server.identity()
        try await identity.authenticateDevice(scopes: [])
        server.deregisterDevices()
        try await identity.registerUser(with: Flaky(signIn: signIn()), scopes: [])
        #expect(try await identity.registeredUsers() == ["alice"])
        #expect(server.count("/register") == 2)
    }

    @Test func `A registered user is authenticated without interaction, also by the next process`() async throws {
        try await withTemporaryDirectory { folder in
            let stores = DeviceStores.files(in: folder, key: .generate())
            try await server.identity(stores).registerUser(with: signIn(), scopes: [])
            let identity = server.identity(stores)
            try await identity.implicitlyAuthenticate(user: "alice", scopes: ["greeting"])
            let tokens = try await identity.implicitSession(of: "alice").tokens()
            #expect(tokens.accessToken.hasSuffix("of-alice"))
            #expect(tokens.scope == "greeting")
            let form = server.forms("/token").last
            #expect(form?["sub"] == "alice")
            #expect(form?["scope"] == "greeting")
            let request = server.transport.requests.last { $0.path == "/token" }
            #expect(request?.header("Authorization") == nil)
        }
    }

    @Test func `Implicit tokens that a server rejects are requested again with the same scopes`() async throws {
        let identity = server.identity()
        try await identity.registerUser(with: signIn(), scopes: [])
        try await identity.implicitlyAuthenticate(user: "alice", scopes: ["greeting"])
        let session = identity.implicitSession(of: "alice")
        let first = try await session.tokens()
        let second = try await session.tokens(replacing: first)
        #expect(second.accessToken != first.accessToken)
        #expect(server.forms("/token").map { $0["scope"] } == ["greeting", "greeting"])
    }

    @Test func `A user who is not registered on this device cannot be authenticated implicitly, and nothing is sent`()
        async throws
    {
        let identity = server.identity()
        try await identity.registerUser(with: signIn(), scopes: [])
        let count = server.transport.requests.count
        await expectError(\DeviceIdentityError.kind, "userNotRegistered") {
            try await identity.implicitlyAuthenticate(user: "bob", scopes: [])
        }
        #expect(server.transport.requests.count == count)
        await #expect(throws: OAuthSessionError.self) { try await identity.implicitSession(of: "bob").tokens() }
        #expect(server.transport.requests.count == count)
    }

    @Test func `A user whom the server has deregistered is removed from the device`() async throws {
        let identity = server.identity()
        try await identity.registerUser(with: signIn("alice"), scopes: [])
        try await identity.registerUser(with: signIn("bob"), scopes: [])
        server.remove("alice")
        await expectError(\DeviceIdentityError.kind, "userNotRegistered") {
            try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        }
        #expect(try await identity.registeredUsers() == ["bob"])
        try await identity.implicitlyAuthenticate(user: "bob", scopes: [])
    }

    @Test func `Tokens of users and the device are not used after a new registration`() async throws {
        let stores = DeviceStores.memory()
        let identity = server.identity(stores)
        try await identity.registerUser(with: signIn(), scopes: [])
        try await identity.authenticateDevice(scopes: [])
        try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        server.deregisterDevices()
        await expectError(\DeviceIdentityError.kind, "deregistered") {
            try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        }
        #expect(try await identity.registration() == nil)
        #expect(try await identity.registeredUsers().isEmpty)
        #expect(try await identity.userSession.current() == nil)
        try await identity.authenticateDevice(scopes: [])
        #expect(try await identity.userSession.current() == nil)
        #expect(try await identity.implicitSession(of: "alice").current() == nil)
        #expect(try await identity.deviceSession.current() != nil)
        await expectError(\DeviceIdentityError.kind, "userNotRegistered") {
            try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        }
    }

    @Test func `A call with the device's session after a deregistration registers the device again`() async throws {
        let identity = server.identity()
        try await identity.authenticateDevice(scopes: ["catalog"])
        let first = try await identity.deviceSession.tokens()
        server.deregisterDevices()
        let second = try await identity.deviceSession.tokens(replacing: first)
        let clientID = try #require(try await identity.registration()?.clientID)
        #expect(second.accessToken.hasSuffix(clientID))
        #expect(second.scope == "catalog")
        #expect(server.count("/register") == 2)
    }

    @Test func `The tokens of a user end with the registration of the device, and the error says why`() async throws {
        let identity = server.identity()
        try await identity.registerUser(with: signIn(), scopes: [])
        server.deregisterDevices()
        let error = await #expect(throws: OAuthSessionError.self) { try await identity.userSession.refresh() }
        #expect(error.map { DeviceIdentityError(wrapping: $0).kind } == "deregistered")
        #expect(server.count("/register") == 1)
    }

    @Test func `A user is deregistered at the server and on the device`() async throws {
        let identity = server.identity()
        try await identity.registerUser(with: signIn(), scopes: [])
        try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        try await identity.deregisterUser("alice")
        #expect(server.forms("/users/deregister").last?["sub"] == "alice")
        #expect(try await identity.registeredUsers().isEmpty)
        #expect(try await identity.userSession.current() == nil)
        #expect(try await identity.implicitSession(of: "alice").current() == nil)
    }

    @Test func `A reset deregisters the device at the server, and removes keys and tokens`() async throws {
        let stores = DeviceStores.memory()
        let identity = server.identity(stores)
        try await identity.registerUser(with: signIn(), scopes: [])
        try await identity.authenticateDevice(scopes: [])
        try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        try await identity.reset()
        #expect(server.clients.isEmpty)
        let request = server.transport.requests.last { $0.method == .delete }
        #expect(request?.header("Authorization") == "Bearer canary-registration")
        #expect(try await stores.device.load() == nil)
        for store in [stores.deviceTokens, stores.userTokens, stores.implicitTokens("alice")] {
            #expect(try await store.load() == nil)
        }
    }

    @Test func `A reset without the server is possible locally only`() async throws {
        let stores = DeviceStores.memory()
        let identity = server.identity(stores)
        try await identity.authenticateDevice(scopes: [])
        server.transport.on(.delete, "/register/*") { _ in throw NetworkError.connectionFailed("no server") }
        await expectError(\DeviceIdentityError.kind, "network") { try await identity.reset() }
        #expect(try await identity.registration() != nil)
        #expect(try await stores.deviceTokens.load() != nil)
        try await identity.reset(locally: true)
        #expect(try await identity.registration() == nil)
        #expect(try await stores.deviceTokens.load() == nil)
    }

    @Test func `A reset of a device that the server does not know any more removes it`() async throws {
        let identity = server.identity()
        try await identity.authenticateDevice(scopes: [])
        server.replaceResponses("/register/*", MockDeviceServer.refusal("invalid_token", status: 401))
        try await identity.reset()
        #expect(try await identity.registration() == nil)
    }
}
