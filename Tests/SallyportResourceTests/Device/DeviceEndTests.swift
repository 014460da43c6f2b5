import Foundation
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportResource

/// Tests of registrations that end, or are replaced.
@Suite(.concurrencyLimited) struct DeviceEndTests {
    private let server = MockDeviceServer()

    private func signIn() -> InstantSignIn { server.signIn() }

    @Test func `A sign-in during which another process registers the device again fails, and stores no tokens`()
        async throws
    {
        struct Slow: DeviceSignIn {
            let signIn: InstantSignIn
            let other: DeviceIdentity

            func tokens(from client: OAuthClient, scopes: [String]) async throws -> OAuthTokens {
                let tokens = try await signIn.tokens(from: client, scopes: scopes)
                signIn.server?.deregisterDevices()
                try await other.authenticateDevice(scopes: [])
                return tokens
            }
        }
        let stores = DeviceStores.memory()
        let (identity, other) = (server.identity(stores), server.identity(stores))
        try await identity.authenticateDevice(scopes: [])
        try await other.authenticateDevice(scopes: [])
        await expectError(\DeviceIdentityError.kind, "deregistered") {
            try await identity.registerUser(with: Slow(signIn: signIn(), other: other), scopes: [])
        }
        #expect(try await identity.userSession.current() == nil)
        #expect(try await stores.userTokens.load() == nil)
        #expect(try await identity.registeredUsers().isEmpty)
        #expect(server.clients.count == 1)
    }

    @Test func `A user whose id_token cannot be read is deregistered with all tokens`() async throws {
        let identity = server.identity()
        try await identity.registerUser(with: signIn(), scopes: [])
        try await identity.implicitlyAuthenticate(user: "alice", scopes: [])
        let unreadable = OAuthTokens(accessToken: "access-of-alice", idToken: "not a token")
        try await identity.userSession.save(unreadable, revokesReplaced: false)
        try await identity.deregisterUser("alice")
        #expect(try await identity.registeredUsers().isEmpty)
        #expect(try await identity.userSession.current() == nil)
        #expect(try await identity.implicitSession(of: "alice").current() == nil)
    }

    /// A store whose tokens cannot be removed a number of times.
    private struct FailingStore: TokenStore {
        private struct Problem: Error {}

        let failures: Locked<Int>
        private let tokens = MemoryTokenStore()

        init(failures: Int) { self.failures = Locked(failures) }

        func load() async throws -> TokenRecord? { await tokens.load() }

        func save(_ record: TokenRecord) async throws { await tokens.save(record) }

        func delete() async throws {
            let isFailing = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            if isFailing { throw Problem() }
            await tokens.delete()
        }

        func withExclusiveAccess<Result: Sendable>(
            _ body: @Sendable () async throws -> Result
        ) async throws -> Result { try await tokens.withExclusiveAccess(body) }
    }

    @Test func `Tokens of other sessions are removed if those of one cannot be, and the call can be repeated`()
        async throws
    {
        let (failing, implicit) = (FailingStore(failures: 2), MemoryTokenStore())
        let stores = DeviceStores(
            device: MemoryRecordStore<DeviceIdentityRecord>(),
            deviceTokens: failing,
            userTokens: MemoryTokenStore()
        ) { _ in implicit }
        let identity = server.identity(stores)
        try await identity.registerUser(with: signIn(), scopes: [])
        try await identity.authenticateDevice(scopes: [])
        try await identity.implicitlyAuthenticate(user: "alice", scopes: [])

        await expectError(\DeviceIdentityError.kind, "store") { try await identity.reset() }
        #expect(server.clients.isEmpty)
        #expect(await implicit.load() == nil)
        #expect(try await stores.userTokens.load() == nil)
        // The users are still known, so that a repeated call removes their tokens as well.
        #expect(try await identity.registeredUsers() == ["alice"])
        await expectError(\DeviceIdentityError.kind, "store") { try await identity.reset(locally: true) }
        try await identity.reset()
        #expect(try await failing.load() == nil)
        #expect(try await stores.device.load() == nil)
        #expect(server.transport.requests.count { $0.method == .delete } == 1)
    }

    @Test func `A local reset removes a record that cannot be read`() async throws {
        try await withTemporaryDirectory { folder in
            let stores = DeviceStores.files(in: folder)
            try await server.identity(stores).authenticateDevice(scopes: [])
            try Data("damaged".utf8).write(to: folder.appending(path: "device-identity.json"))
            let identity = server.identity(stores)
            await expectError(\DeviceIdentityError.kind, "store") { try await identity.reset() }
            try await identity.reset(locally: true)
            #expect(try await identity.registration() == nil)
            #expect(try await stores.deviceTokens.load() == nil)
        }
    }
}
