import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportResource

/// Tests of the tokens and cookies of calls by different owners.
@Suite(.concurrencyLimited) struct CallClientsTests {
    private static let request = ResourceRequest(path: "p", method: .get)
    private static let setCookie = ResourceRequest(path: "set", method: .get)

    /// A server whose resource `set` sets a cookie.
    private let server: ResourceServer

    init() throws {
        server = try ResourceServer()
        server.transport.on(.get, "/resources/set", MockResponse.status(200).header(.setCookie, "a=b; Path=/"))
    }

    private static func cookie(_ response: ResourceResponse) throws -> String? {
        try Echo(response).headers["cookie"]
    }

    // MARK: Cookies

    @Test func `A cookie that the server sets with tokens is not sent with any request`() async throws {
        let token = #"{"access_token": "t", "token_type": "Bearer", "expires_in": 300}"#
        server.transport.on(.post, "/token", MockResponse.json(token).header(.setCookie, "sid=alice; Path=/"))
        let client = try server.client { $0.resourceBaseURL = "https://id.example.com/resources/" }
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        for _ in 1...2 { try await client.deviceClient.authenticateDevice(scopes: []) }
        try await client.userClient.implicitlyAuthenticate(user: "alice", scopes: [])
        _ = try await client.deviceClient.sendAuthenticatedRequest(Self.request)
        _ = try await client.deviceClient.sendUnauthenticatedRequest(Self.request)
        _ = try await client.userClient.sendAuthenticatedRequest(Self.request)
        _ = try await client.userClient.sendImplicitRequest(Self.request)
        #expect(server.identity.count("/token") == 3)
        #expect(server.transport.requests.allSatisfy { $0.header("Cookie") == nil })
    }

    @Test func `The cookies of the device are not sent with unauthenticated calls`() async throws {
        let client = try server.client().deviceClient
        try await client.authenticateDevice(scopes: [])
        _ = try await client.sendAuthenticatedRequest(Self.setCookie)
        #expect(try Self.cookie(await client.sendAuthenticatedRequest(Self.request)) == "a=b")
        #expect(try Self.cookie(await client.sendUnauthenticatedRequest(Self.request)) == nil)
    }

    @Test(arguments: [("alice", "a=b"), ("bob", nil)])
    func `Cookies remain if the same user signs in again through the identity, and otherwise not`(
        user: String,
        cookie: String?
    ) async throws {
        let client = try server.client()
        try await client.userClient.registerUser(with: server.identity.signIn("alice"), scopes: [])
        _ = try await client.userClient.sendAuthenticatedRequest(Self.setCookie)
        try await client.identity.registerUser(with: server.identity.signIn(user), scopes: [])
        let echo = try Echo(await client.userClient.sendAuthenticatedRequest(Self.request))
        #expect(echo.headers["authorization"] == "Bearer access-of-\(user)")
        #expect(echo.headers["cookie"] == cookie)
    }

    @Test func `After a reset, neither the device nor a user has the cookies from before`() async throws {
        let client = try server.client()
        let authenticate: @Sendable () async throws -> Void = {
            try await client.userClient.registerUser(with: server.identity.signIn("alice"), scopes: [])
            try await client.deviceClient.authenticateDevice(scopes: [])
            try await client.userClient.implicitlyAuthenticate(user: "alice", scopes: [])
        }
        let calls: [@Sendable (ResourceRequest) async throws -> ResourceResponse] = [
            { try await client.userClient.sendAuthenticatedRequest($0) },
            { try await client.userClient.sendImplicitRequest($0) },
            { try await client.deviceClient.sendAuthenticatedRequest($0) },
        ]
        try await authenticate()
        for call in calls {
            _ = try await call(Self.setCookie)
            #expect(try Self.cookie(await call(Self.request)) == "a=b")
        }
        try await client.deviceClient.resetDevice()
        await expectError(\ResourceError.reason, .userNotImplicitlyAuthenticated) { try await calls[1](Self.request) }
        try await authenticate()
        for call in calls { #expect(try Self.cookie(await call(Self.request)) == nil) }
    }

    // MARK: Tokens

    @Test func `A call is not repeated with the tokens of a user who has signed in since`() async throws {
        let client = try server.client()
        try await client.userClient.registerUser(with: server.identity.signIn("alice"), scopes: [])
        server.transport.on(.post, "/resources/pay") { _ in
            try await client.userClient.registerUser(with: server.identity.signIn("bob"), scopes: [])
            return MockResponse.status(401).header(.wwwAuthenticate, #"Bearer error="invalid_token""#)
        }
        await expectError(\ResourceError.reason, .userNotAuthenticated) {
            try await client.userClient.sendAuthenticatedRequest(ResourceRequest(path: "pay", method: .post))
        }
        #expect(server.resourceRequests.map { $0.header("Authorization") } == ["Bearer access-of-alice"])
        let echo = try Echo(await client.userClient.sendAuthenticatedRequest(Self.request))
        #expect(echo.headers["authorization"] == "Bearer access-of-bob")
    }

    @Test func `Implicit calls use the latest tokens of a user, and keep the cookies, also after many other users`()
        async throws
    {
        let client = try server.client()
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        try await client.userClient.implicitlyAuthenticate(user: "alice", scopes: ["one"])
        _ = try await client.userClient.sendImplicitRequest(Self.setCookie)
        // The identity keeps a limited number of sessions.
        for number in 1...64 { _ = client.identity.implicitSession(of: "user-\(number)") }
        try await client.userClient.implicitlyAuthenticate(user: "alice", scopes: ["two"])
        let echo = try Echo(await client.userClient.sendImplicitRequest(Self.request))
        #expect(server.identity.count("/token") == 2)
        #expect(echo.headers["authorization"] == "Bearer token-3-of-alice")
        #expect(echo.headers["cookie"] == "a=b")
    }

    // MARK: Ending registrations

    @Test func `Users and the device are deregistered through the clients`() async throws {
        let client = try server.client()
        try await client.userClient.registerUser(with: InstantSignIn(), scopes: [])
        #expect(try await client.userClient.registeredUsers == ["alice"])
        try await client.userClient.deregisterUser("alice")
        #expect(server.identity.count("/users/deregister") == 1)
        #expect(try await client.userClient.registeredUsers.isEmpty)
        #expect(try await client.userClient.accessToken == nil)
        try await client.deviceClient.resetDevice()
        #expect(server.identity.clients.isEmpty)
        #expect(try await client.identity.registration() == nil)
    }
}
