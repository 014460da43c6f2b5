import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct ResourceCallsTests {
    private static let request = ResourceRequest(path: "/api/users", method: .get)

    private static func authorization(_ response: ResourceResponse) throws -> String? {
        try Echo(response).headers["authorization"]
    }

    // MARK: Tokens

    @Test func `An authenticated request carries the token of the user who has signed in`() async throws {
        let client = try ResourceServer().client()
        let user = try await client.userClient.registerUser(with: InstantSignIn(), scopes: ["accounts"])
        #expect(user == "alice")
        let response = try await client.userClient.sendAuthenticatedRequest(Self.request)
        #expect(try Self.authorization(response) == "Bearer user-1")
        #expect(try await client.userClient.accessToken == "user-1")
        #expect(try await client.userClient.idToken != nil)
    }

    @Test func `Without a user, an authenticated request fails with 9010 and is not sent`() async throws {
        let server = try ResourceServer()
        let error = await expectError(\ResourceError.reason, .userNotAuthenticated) {
            try await server.client().userClient.sendAuthenticatedRequest(Self.request)
        }
        #expect(error?.errorCode == 9010 && error?.domain == "ONGFetchResourceErrorDomain")
        #expect(server.resourceRequests.isEmpty)
        #expect(try await server.client().userClient.accessToken == nil)
    }

    @Test func `An anonymous request carries the token of the device`() async throws {
        let server = try ResourceServer()
        let client = try server.client()
        try await client.deviceClient.authenticateDevice(scopes: ["catalog"])
        let response = try await client.deviceClient.sendAuthenticatedRequest(Self.request)
        #expect(try Self.authorization(response) == "Bearer token-2-of-device-1")
        #expect(server.transport.requests.first { $0.path == "/token" }?.text.contains("scope=catalog") == true)
        for request in server.transport.requests {
            #expect(request.header("User-Agent")?.hasPrefix("com.example.app/2.1.0 (") == true)
        }
    }

    @Test func `A device that is not registered, not valid or not authenticated has three errors`() async throws {
        let server = try ResourceServer()
        let client = try server.client()
        let unregistered = await expectError(\ResourceError.reason, .deviceNotRegistered) {
            try await client.deviceClient.sendAuthenticatedRequest(Self.request)
        }
        #expect(unregistered?.errorCode == 9008)

        try await client.deviceClient.authenticateDevice(scopes: [])
        try await client.identity.deviceSession.reset()
        let unauthenticated = await expectError(\ResourceError.reason, .deviceNotAuthenticated) {
            try await client.deviceClient.sendAuthenticatedRequest(Self.request)
        }
        #expect(unauthenticated?.errorCode == 10012)
        #expect(unauthenticated?.domain == "ONGFetchAnonymousResourceErrorDomain")

        server.transport.on(.post, "/token", .json(#"{"error": "invalid_client"}"#, status: 401))
        let invalid = await expectError(\ResourceError.reason, .deviceNotValid) {
            try await client.deviceClient.authenticateDevice(scopes: [])
        }
        #expect(invalid?.errorCode == 9008)
        #expect(server.resourceRequests.isEmpty)
    }

    @Test func `An implicit request carries the token of the implicit user`() async throws {
        let server = try ResourceServer()
        let client = try server.client()
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        try await client.userClient.implicitlyAuthenticate(user: "alice", scopes: ["greeting"])
        let response = try await client.userClient.sendImplicitRequest(Self.request)
        #expect(try Self.authorization(response) == "Bearer token-2-of-alice")
    }

    @Test func `Without an implicit user, an implicit request fails with 9026 and is not sent`() async throws {
        let server = try ResourceServer()
        let client = try server.client()
        let error = await expectError(\ResourceError.reason, .userNotImplicitlyAuthenticated) {
            try await client.userClient.sendImplicitRequest(Self.request)
        }
        #expect(error?.errorCode == 9026 && error?.domain == "ONGFetchImplicitResourceErrorDomain")
        try await client.deviceClient.authenticateDevice(scopes: [])
        let unknown = await expectError(\ResourceError.reason, .userDeregistered) {
            try await client.userClient.implicitlyAuthenticate(user: "mallory", scopes: [])
        }
        #expect(unknown?.errorCode == 9003)
        #expect(server.resourceRequests.isEmpty)
    }

    @Test func `An unauthenticated request carries no token, even if there are some`() async throws {
        let client = try ResourceServer().client()
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        try await client.deviceClient.authenticateDevice(scopes: [])
        let response = try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        #expect(try Self.authorization(response) == nil)
    }

    @Test func `A request whose token the server rejects is sent again with another one`() async throws {
        let server = try ResourceServer()
        let client = try server.client()
        try await client.deviceClient.authenticateDevice(scopes: [])
        server.transport.on(.get, "/resources/api/users") { request in
            if request.header("Authorization") == "Bearer token-3-of-device-1" { return .text("users") }
            return MockResponse.status(401).header(.wwwAuthenticate, #"Bearer error="invalid_token""#)
        }
        let response = try await client.deviceClient.sendAuthenticatedRequest(Self.request)
        #expect(response.data == Data("users".utf8))
        let sent = server.resourceRequests.map { $0.header("Authorization") }
        #expect(sent == ["Bearer token-2-of-device-1", "Bearer token-3-of-device-1"])
    }

    @Test func `A token that the server does not accept is an error with the response`() async throws {
        let server = try ResourceServer()
        let client = try server.client()
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        server.transport.on(
            .get,
            "/resources/api/users",
            MockResponse.text("no", status: 401).header(.wwwAuthenticate, #"Bearer error="invalid_token""#)
        )
        let refused = await expectError(\ResourceError.reason, .userNotAuthenticated) {
            try await client.userClient.sendAuthenticatedRequest(Self.request)
        }
        #expect(refused?.response?.data == Data("no".utf8))
        server.transport.on(
            .get,
            "/resources/api/users",
            MockResponse.status(403).header(.wwwAuthenticate, #"Bearer error="insufficient_scope""#)
        )
        let forbidden = await expectError(\ResourceError.reason, .status) {
            try await client.userClient.sendAuthenticatedRequest(Self.request)
        }
        #expect(forbidden?.response?.statusCode == 403)
    }

    @Test func `Tokens are sent to additional servers`() async throws {
        let server = try ResourceServer()
        let client = try server.client()
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        let request = ResourceRequest(path: "https://files.example.com/a.pdf", method: .get)
        let response = try await client.userClient.sendAuthenticatedRequest(request)
        #expect(try Self.authorization(response) == "Bearer user-1")
    }

    @Test func `The cookies of a user are not sent with calls of the device or the next user`() async throws {
        let server = try ResourceServer()
        server.transport.on(.get, "/resources/set", MockResponse.status(200).header(.setCookie, "a=b; Path=/"))
        let client = try server.client()
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        _ = try await client.userClient.sendAuthenticatedRequest(ResourceRequest(path: "set", method: .get))
        let user = try Echo(await client.userClient.sendAuthenticatedRequest(Self.request))
        let none = try Echo(await client.deviceClient.sendUnauthenticatedRequest(Self.request))
        #expect(user.headers["cookie"] == "a=b" && none.headers["cookie"] == nil)

        try await client.userClient.registerUser(with: InstantSignIn(user: "bob"), scopes: [])
        let next = try Echo(await client.userClient.sendAuthenticatedRequest(Self.request))
        #expect(next.headers["cookie"] == nil)
    }

    // MARK: Integrity

    /// A check that always finds a debugger.
    private struct FoundDebugger: IntegrityProbe {
        var check: IntegrityCheck { .debugger }

        func run() throws(IntegrityError) { throw .debuggerAttached("gdb (process 4711)") }
    }

    @Test func `After a finding about the device, nothing is sent by any kind of call`() async throws {
        let server = try ResourceServer()
        let checked = try CheckedConfiguration(ResourceServer.model)
        let http = HttpClient(configuration: try checked.httpConfiguration { $0.transport = server.transport })
        let client = ResourceClient(
            ResourceCore(
                checked,
                http: http,
                identity: DeviceIdentity(checked.deviceIdentity, httpClient: http, stores: .memory()),
                integrity: DeviceIntegrity(IntegrityOptions(checks: [.debugger]), probes: [FoundDebugger()])
            )
        )
        let (user, device) = (client.userClient, client.deviceClient)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await user.sendAuthenticatedRequest(Self.request) },
            { _ = try await user.sendImplicitRequest(Self.request) },
            { _ = try await device.sendAuthenticatedRequest(Self.request) },
            { _ = try await device.sendUnauthenticatedRequest(Self.request) },
            { try await device.authenticateDevice(scopes: []) },
            { try await user.implicitlyAuthenticate(user: "alice", scopes: []) },
            { try await user.registerUser(with: InstantSignIn(), scopes: []) },
        ]
        for call in calls {
            let error = await expectError(\ResourceError.reason, .deviceIntegrity) { try await call() }
            #expect(error?.errorCode == 10024)
            #expect(error?.underlying as? IntegrityError == .debuggerAttached("gdb (process 4711)"))
        }
        // A registration can be ended nevertheless.
        try await device.resetDevice()
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `The checks of the Config Model are those that run`() async throws {
        for checks: Set<IntegrityCheck> in [[], [.debugger], [.hooking, .outdatedApp], Set(IntegrityCheck.allCases)] {
            let client = try ResourceServer().client { $0.integrityChecks = checks }
            let results = client.integrity.results()
            #expect(Set(results.map { $0.check }) == checks)
        }
    }

    @Test func `A reported outdated version refuses further calls for the configured duration only`() async throws {
        for (duration, count) in [(300.0, 1), (0, 2)] {
            let server = try ResourceServer()
            server.transport.on(.get, "/resources/api/users", .json(#"{"error": "outdated_app"}"#, status: 403))
            let client = try server.client { model in
                model.integrityChecks = [.outdatedApp]
                model.deviceConfigurationCacheDuration = duration
            }
            for _ in 1...2 {
                await expectError(\ResourceError.reason, .outdatedApp) {
                    try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
                }
            }
            #expect(server.resourceRequests.count == count)
        }
    }

    // MARK: Payload encryption

    @Test func `With a server key, calls to the resource server begin with a handshake`() async throws {
        let server = try ResourceServer()
        let key = try JsonWebKey.generate(.ecdhEs, curve: .x25519).publicKey
        let text = String(decoding: try JSONEncoder().encode(key.members), as: UTF8.self)
        let client = try server.client { $0.serverPublicKey = text }
        let error = await expectError(\ResourceError.reason, .invalidResponse) {
            try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        }
        // The mock cannot decrypt, so nothing but the handshake is sent.
        #expect((error?.underlying as? NetworkError)?.failure.underlying is PayloadEncryptionError)
        #expect(server.transport.requests.map(\.url) == ["https://api.example.com/api/v1/payload/handshake"])
        #expect(server.transport.requests.first?.header("User-Agent")?.hasPrefix("com.example.app/2.1.0 ") == true)
    }

    // MARK: Completion forms

    @Test func `The device and an implicit user are authenticated with completion closures as well`() async throws {
        let client = try ResourceServer().client()
        let device = await withCheckedContinuation { continuation in
            client.deviceClient.authenticateDevice(scopes: []) { error in continuation.resume(returning: error) }
        }
        #expect(device == nil)
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        for (user, reason) in [("alice", nil), ("mallory", ResourceError.Reason.userDeregistered)] {
            let error = await withCheckedContinuation { continuation in
                client.userClient.implicitlyAuthenticate(user: user, scopes: []) { error in
                    continuation.resume(returning: error)
                }
            }
            #expect(error?.reason == reason)
        }
        let (implicit, anonymous) = (Completion(), Completion())
        client.userClient.sendImplicitRequest(Self.request, completion: implicit.handler)
        client.deviceClient.sendAuthenticatedRequest(Self.request, completion: anonymous.handler)
        let asUser = try #require(await implicit.result().response)
        let asDevice = try #require(await anonymous.result().response)
        #expect(try Self.authorization(asUser) == "Bearer token-3-of-alice")
        #expect(try Self.authorization(asDevice) == "Bearer token-2-of-device-1")
    }
}
