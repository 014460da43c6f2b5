import Foundation
import Sallyport
import SallyportGateway
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

/// Sessions of a client with its own credentials, which need no login.
@Suite(.concurrencyLimited) struct ClientCredentialsTests {
    private let identity: MockIdentityServer

    init() throws { identity = try MockIdentityServer() }

    private func session(
        _ store: some TokenStore,
        scopes: [String]? = nil,
        now: @escaping @Sendable () -> Date = { MockIdentityServer.now }
    ) -> OAuthSession {
        let client = identity.client { $0.authentication = .secretBasic("secret") }
        return OAuthSession(refresher: ClientCredentialsRefresher(client, scopes: scopes), store: store, now: now)
    }

    private var requestedScopes: [String?] { identity.forms("/token").map { $0["scope"] } }

    @Test func `A session with an empty store obtains one token for 20 calls, and another when it has expired`()
        async throws
    {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let server = try AuthorizationServer(configuration)
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
            let http = HttpClient.createClient()
            defer { http.close() }
            let client = OAuthClient(issuer: address.baseURL, clientID: "conf") { config in
                config.authentication = .secretBasic("s3cret-conf")
                config.scopes = ["openid", "profile"]
                config.httpClient = http
            }
            let store = MemoryTokenStore()
            let session = OAuthSession(refresher: ClientCredentialsRefresher(client, scopes: ["api"]), store: store)
            let api = http.authorized(by: session, for: address.baseURL)
            let first = try await withThrowingTaskGroup(of: HttpStatus.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await api.request { $0.url = address.baseURL + "/protected" }.status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(first == Array(repeating: .ok, count: 20))
            #expect(await server.statistics.grants == ["client_credentials": 1])
            #expect(await store.load()?.tokens.scope == "api")

            await server.expireAccessTokens()
            let second = try await api.request { $0.url = address.baseURL + "/protected" }
            #expect(second.status == .ok)
            #expect(await server.statistics.grants == ["client_credentials": 2])
            #expect(await store.load()?.tokens.scope == "api")
        }
    }

    @Test func `The first tokens are requested once for all tasks and saved before any task receives them`()
        async throws
    {
        let store = MemoryTokenStore()
        identity.transport.on(.post, "/token") { _ in
            #expect(await store.load() == nil)
            return .tokens()
        }
        let session = session(store)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let tokens = try await session.tokens()
                    #expect(await store.load()?.tokens == tokens)
                    return tokens.accessToken
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["access-1"])
        #expect(requestedScopes == ["api"])
    }

    @Test func `A second session that shares the store uses the tokens of the first session`() async throws {
        identity.answerTokens(.tokens(), .tokens(["access_token": "access-2"]))
        let store = MemoryTokenStore()
        #expect(try await session(store).tokens().accessToken == "access-1")
        #expect(try await session(store).tokens().accessToken == "access-1")
        #expect(identity.count("/token") == 1)
    }

    @Test func `Refreshing with an empty store requests the first tokens`() async throws {
        identity.answerTokens(.tokens())
        let session = session(MemoryTokenStore())
        #expect(try await session.refresh().accessToken == "access-1")
        #expect(identity.count("/token") == 1)
    }

    @Test func `A refresh requests the scopes of the tokens that it replaces`() async throws {
        let time = Locked(MockIdentityServer.now)
        identity.answerTokens(.tokens())
        let session = session(MemoryTokenStore()) { time.withLock { $0 } }
        let client = identity.client { $0.authentication = .secretBasic("secret") }
        try await session.save(try await client.clientCredentialsTokens(scopes: ["reports", "audit"]))
        time.withLock { $0 += 60 }
        #expect(try await session.tokens().scope == "reports audit")
        time.withLock { $0 += 60 }
        #expect(try await session.tokens().scope == "reports audit")
        #expect(requestedScopes == ["reports audit", "reports audit", "reports audit"])
    }

    @Test func `The refresher's scopes are requested for the first and all later tokens`() async throws {
        let time = Locked(MockIdentityServer.now)
        identity.answerTokens(.tokens(["scope": "reports"]))
        let session = session(MemoryTokenStore(), scopes: ["reports", "audit"]) { time.withLock { $0 } }
        #expect(try await session.tokens().scope == "reports")
        time.withLock { $0 += 60 }
        _ = try await session.tokens()
        #expect(requestedScopes == ["reports audit", "reports audit"])
    }

    @Test func `A refusal of the first tokens is an error, and the next call tries again`() async throws {
        identity.answerTokens(.refusal("invalid_client", status: 401), .fail(.connectionLost("cut")), .tokens())
        let session = session(MemoryTokenStore())
        await #expect {
            try await session.tokens()
        } throws: { error in
            guard case OAuthSessionError.refused(let refusal) = error else { return false }
            return refusal.error == "invalid_client" && (error as? OAuthSessionError)?.isLoggedOut == false
        }
        await expectError(\OAuthSessionError.kind, "network") { try await session.tokens() }
        #expect(try await session.tokens().accessToken == "access-1")
    }

    @Test func `First tokens that cannot be saved stay in memory until the store can be written`() async throws {
        let isBroken = Watched(true)
        let time = Locked(MockIdentityServer.now)
        identity.answerTokens(.tokens(["expires_in": 3600]), .tokens(["access_token": "access-2"]))
        let store = WatchedStore(nil) { _ in
            if isBroken.value { throw TokenStoreError(.cannotWrite, "the disk is full") }
        }
        let session = session(store) { time.withLock { $0 } }
        #expect(try await session.tokens().accessToken == "access-1")
        #expect(await store.load()?.tokens == nil)
        isBroken.update { $0 = false }
        time.withLock { $0 += 10 }
        #expect(try await session.tokens().accessToken == "access-1")
        try await session.finish()
        #expect(await store.load()?.tokens.accessToken == "access-1")
        #expect(identity.count("/token") == 1)
    }

    @Test func `After a logout, the next call obtains new tokens`() async throws {
        identity.answerTokens(.tokens(), .tokens(["access_token": "access-2"]))
        identity.transport.on(.post, "/revocation", .status(200))
        let session = session(MemoryTokenStore())
        _ = try await session.tokens()
        #expect(try await session.logout()?.description == nil)
        #expect(identity.forms("/revocation").map { $0["token"] } == ["access-1"])
        #expect(try await session.tokens().accessToken == "access-2")
    }

    @Test func `A request for the first tokens that exceeds the refresh limit throws a timeout error`() async throws {
        identity.transport.on(.post, "/token", .stall)
        let client = identity.client { $0.authentication = .secretBasic("secret") }
        let session = OAuthSession(
            refresher: ClientCredentialsRefresher(client),
            store: MemoryTokenStore(),
            refreshLimit: .milliseconds(20)
        )
        await #expect {
            try await session.tokens()
        } throws: { error in
            if case OAuthSessionError.network(.timeout) = error { true } else { false }
        }
    }

    @Test func `A refresher that needs a login does not request first tokens`() async throws {
        let session = OAuthSession(refresher: identity.client(), store: MemoryTokenStore())
        await expectError(\OAuthSessionError.kind, "notLoggedIn") { try await session.tokens() }
        await expectError(\OAuthSessionError.kind, "notLoggedIn") { try await session.refresh() }
        #expect(identity.transport.requests.isEmpty)
    }
}
