import ClientTestSupport
import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct JourneySessionTests {
    @Test func `A session and its cookies are one record, which another process uses`() async throws {
        try await withTemporaryDirectory { directory in
            let server = TreeServer()
            server.answer(
                .session().header(.setCookie, "amlbcookie=01; Path=/; Secure").header(
                    .setCookie,
                    "theme=dark; Path=/; Secure"
                )
            )
            let file = directory.appendingPathComponent("private/session.json")
            _ = try await server.journey(sessionStore: FileSessionStore(at: file)).start()

            let second = TreeServer()
            second.answer(.node(CallbackText.polling))
            let journey = try second.journey(sessionStore: FileSessionStore(at: file))
            #expect(try await journey.session()?.token == "session-1")
            _ = try await journey.start()
            let cookies = second.treeRequests.first?.header("Cookie")?.split(separator: "; ").sorted()
            #expect(cookies == ["amlbcookie=01", "iPlanetDirectoryPro=session-1", "theme=dark"])
        }
    }

    @Test func `The session cookie of the server is not replaced`() async throws {
        let server = TreeServer()
        server.answer(
            .session().header(.setCookie, "iPlanetDirectoryPro=session-1; Domain=example.com; Path=/; Secure")
        )
        let journey = try server.journey()
        _ = try await journey.start()
        #expect(journey.httpClient.configuration.cookieJar?.allCookies.count == 1)
    }

    @Test func `A session cookie is secure however the scheme of the server is written`() async throws {
        let server = TreeServer()
        server.answer(.session())
        let client = HttpClient.createClient { $0.transport = server.transport }
        let settings = try TreeServer.settings(baseURL: "HTTPS://am.example.com/am")
        let journey = Journey(settings, httpClient: client)
        _ = try await journey.start()
        #expect(journey.httpClient.configuration.cookieJar?.allCookies.map(\.isSecure) == [true])
    }

    @Test func `A session of another server is not sent, and a new sign-in replaces it`() async throws {
        let store = MemorySessionStore()
        let server = TreeServer()
        server.answer(.session())
        _ = try await server.journey(sessionStore: store).start()

        let other = MockTransport { _ in .session("other-session") }
        let client = HttpClient.createClient { $0.transport = other }
        let settings = try TreeServer.settings(baseURL: "https://other.example.com/am")
        let journey = Journey(settings, sessionStore: store, httpClient: client)
        await expectError(\JourneyError.kind, "otherServer") { try await journey.session() }
        await expectError(\JourneyError.kind, "otherServer") { try await journey.endSession() }
        await expectError(\JourneyError.kind, "otherServer") { try await journey.requestTokens() }
        #expect(other.requests.isEmpty)
        _ = try await journey.start()
        #expect(other.requests.allSatisfy { $0.header("Cookie") == nil })
        #expect(try await journey.session()?.token == "other-session")
    }

    @Test func `When another session replaces it, the tokens of the old session are revoked and removed`() async throws
    {
        let server = TreeServer()
        server.issueTokens()
        server.answer(.session("session-1"))
        let journey = try server.journey()
        _ = try await journey.start()
        #expect(try await journey.oauthSession.tokens().accessToken == "access-1")
        _ = try await journey.start()
        #expect(server.requests(TreeServer.oauth + "/token/revoke").isEmpty, "the session is the same")

        server.answer(.session("session-2"))
        _ = try await journey.start()
        let revoked = server.requests(TreeServer.oauth + "/token/revoke").map { queryPairs($0.text)["token"] }
        #expect(revoked == ["refresh-1", "access-1"])
        #expect(try await journey.oauthSession.current() == nil)
        #expect(try await journey.oauthSession.tokens().accessToken == "access-2")
        #expect(
            server.requests(TreeServer.oauth + "/authorize").map { $0.header("iPlanetDirectoryPro") } == [
                "session-1", "session-2",
            ]
        )
    }

    @Test func `Tokens of an old session that cannot be revoked are removed nevertheless`() async throws {
        let server = TreeServer()
        server.issueTokens()
        server.transport.on(.post, TreeServer.oauth + "/token/revoke", .fail(.connectionFailed("down")))
        server.answer(.session("session-1"), .session("session-2"))
        let journey = try server.journey()
        _ = try await journey.start()
        _ = try await journey.oauthSession.tokens()
        _ = try await journey.start()
        #expect(try await journey.oauthSession.current() == nil)
        #expect(try await journey.session()?.token == "session-2")
    }

    @Test func `Tokens without a refresh token are replaced with the session, which may have ended`() async throws {
        let server = TreeServer()
        server.issueTokens()
        server.transport.on(
            .post,
            TreeServer.oauth + "/access_token",
            .json(#"{"access_token":"short","token_type":"Bearer","expires_in":0}"#)
        )
        server.answer(.session())
        server.transport.on(.post, TreeServer.realm + "/sessions", .json("{}"))
        let journey = try server.journey()
        _ = try await journey.start()
        _ = try await journey.requestTokens()
        _ = try? await journey.oauthSession.refresh()
        #expect(server.requests(TreeServer.oauth + "/authorize").count == 2)
        try await journey.endSession()
        let error = await expectError(\OAuthSessionError.isEnded, true) { try await journey.oauthSession.refresh() }
        #expect(error?.isLoggedOut == true)
    }

    @Test func `endSession ends the session at the server, and removes it with its cookies`() async throws {
        let server = TreeServer()
        server.answer(.session().header(.setCookie, "amlbcookie=01; Path=/; Secure"))
        server.transport.on(.post, TreeServer.realm + "/sessions", .status(503))
        let journey = try server.journey()
        _ = try await journey.start()
        await expectError(\JourneyError.kind, "invalidResponse") { try await journey.endSession() }
        #expect(try await journey.session() != nil)

        server.transport.on(.post, TreeServer.realm + "/sessions", .status(401))
        try await journey.endSession()
        #expect(try await journey.session() == nil)
        #expect(journey.httpClient.configuration.cookieJar?.allCookies.isEmpty == true)
        try await journey.endSession()
        #expect(server.requests(TreeServer.realm + "/sessions").count == 2)
    }

    @Test func `logout ends the session of the provider, the tokens and the session, in this order`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.transport.on(.get, TreeServer.oauth + "/connect/endSession", .status(400))
        server.transport.on(.post, TreeServer.oauth + "/token/revoke", .status(200))
        server.transport.on(.post, TreeServer.realm + "/sessions", .status(401))
        let actions = ActionRecorder()
        let tokenStore = MemoryTokenStore()
        let journey = try server.journey(tokenStore: tokenStore) { $0.addInterceptor(actions) }
        _ = try await journey.start()
        let tokens = OAuthTokens(accessToken: "access-1", idToken: "a.b.c")
        await tokenStore.save(TokenRecord(tokens: tokens, client: journey.oauthClient.identity))
        #expect(try await journey.logout() == nil)
        #expect(actions.actions.map(\.type) == [.startAuthenticate, .endSession, .revokeToken, .logout])
        #expect(try await journey.session() == nil)
        #expect(try await journey.oauthSession.current() == nil)
    }

    @Test func `logout returns the refusal of a server that does not revoke the tokens`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.transport.on(
            .post,
            TreeServer.oauth + "/token/revoke",
            .json(#"{"error":"invalid_client"}"#, status: 401)
        )
        server.transport.on(.post, TreeServer.realm + "/sessions", .json("{}"))
        let tokenStore = MemoryTokenStore()
        let journey = try server.journey(tokenStore: tokenStore)
        _ = try await journey.start()
        let tokens = OAuthTokens(accessToken: "access-1")
        await tokenStore.save(TokenRecord(tokens: tokens, client: journey.oauthClient.identity))
        #expect(try await journey.logout()?.error == "invalid_client")
        #expect(try await journey.session() == nil)
        #expect(try await journey.oauthSession.current() == nil)
    }

    @Test func `A session that another process ended is no longer sent`() async throws {
        let store = MemorySessionStore()
        let server = TreeServer()
        server.answer(.session())
        server.transport.on(.post, TreeServer.realm + "/sessions", .json("{}"))
        let first = try server.journey(sessionStore: store)
        let second = try server.journey(sessionStore: store)
        _ = try await first.start()
        #expect(try await second.session() != nil)
        try await first.endSession()
        _ = try await second.start()
        #expect(server.treeRequests.last?.header("Cookie") == nil)
    }

    @Test func `Without a session, no tokens are requested`() async throws {
        let server = TreeServer()
        let journey = try server.journey()
        await expectError(\JourneyError.kind, "notSignedIn") { try await journey.requestTokens() }
        await expectError(\OAuthSessionError.isNotLoggedIn, true) { try await journey.oauthSession.tokens() }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `A file that others can read is refused before anything is sent`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("session.json")
            try Data("{}".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            let server = TreeServer()
            let journey = try server.journey(sessionStore: FileSessionStore(at: file))
            await expectError(\JourneyError.kind, "store") { try await journey.start() }
            #expect(server.transport.requests.isEmpty)
        }
    }

    @Test
    func `A session that cannot be stored leaves neither the old session nor its tokens, and the next sign-in works`()
        async throws
    {
        let server = TreeServer()
        server.issueTokens()
        server.answer(.session("session-1"), .session("session-2"))
        let store = FailingStore()
        let journey = try server.journey(sessionStore: store)
        _ = try await journey.start()
        _ = try await journey.oauthSession.tokens()
        store.fails.withLock { $0 = true }
        await expectError(\JourneyError.kind, "store") { try await journey.start() }
        #expect(try await journey.session() == nil)
        #expect(try await journey.oauthSession.current() == nil)
        store.fails.withLock { $0 = false }
        _ = try await journey.start()
        #expect(try await journey.session()?.token == "session-2")
    }

    @Test func `After a sign-in whose session could not be stored, the next user is not signed in with its cookie`()
        async throws
    {
        let server = TreeServer()
        server.answer(.session().header(.setCookie, "iPlanetDirectoryPro=session-1; Path=/; Secure"))
        let store = FailingStore()
        store.fails.withLock { $0 = true }
        let journey = try server.journey(sessionStore: store)
        await expectError(\JourneyError.kind, "store") { try await journey.start() }
        store.fails.withLock { $0 = false }
        server.answer(.node(CallbackText.name))
        _ = try await journey.start()
        #expect(server.treeRequests.last?.header("Cookie") == nil)
        _ = try await journey.resume(url: TreeServer.base + "?suspendedId=s-1")
        #expect(server.treeRequests.last?.header("Cookie") == nil)
    }

    @Test func `A session that could not be stored is stored when its node is sent again, without another request`()
        async throws
    {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling), .session(), .treeFailure())
        let store = FailingStore()
        store.fails.withLock { $0 = true }
        let journey = try server.journey(sessionStore: store)
        let node = try node(in: await journey.start())
        await expectError(\JourneyError.kind, "store") { try await node.next() }
        store.fails.withLock { $0 = false }
        #expect(try session(in: await node.next())?.token == "session-1")
        #expect(server.treeRequests.count == 2)
        await expectError(\JourneyError.kind, "alreadyAnswered") { try await node.next() }
        #expect(try await journey.session()?.token == "session-1")
        _ = try await journey.start()
        #expect(server.treeRequests.last?.header("Cookie") == "iPlanetDirectoryPro=session-1")
    }

    @Test func `A session that the server has created is stored although the task is cancelled`() async throws {
        let server = TreeServer()
        server.answer(.session())
        let store = WaitingStore()
        let journey = try server.journey(sessionStore: store)
        let task = Task { try await journey.start() }
        try await store.isSaving.wait()
        task.cancel()
        store.mayContinue.fire()
        _ = try? await task.value
        #expect(try await journey.session()?.token == "session-1")
    }

    @Test func `The cookies of a response are kept although another task uses the journey while its session is stored`()
        async throws
    {
        let server = TreeServer()
        server.answer(.session(), .session("session-2").header(.setCookie, "amlbcookie=02; Path=/; Secure"))
        server.issueTokens()
        let journey = try server.journey()
        _ = try await journey.start()
        _ = try await journey.oauthSession.tokens()
        server.transport.on(.post, TreeServer.oauth + "/token/revoke") { _ in
            // The old session has been removed, and the new one is not stored yet.
            let session = try await journey.session()
            #expect(session == nil)
            return .status(200)
        }
        _ = try await journey.start()
        _ = try await journey.start()
        let cookies = server.treeRequests.last?.header("Cookie")?.split(separator: "; ").sorted()
        #expect(cookies == ["amlbcookie=02", "iPlanetDirectoryPro=session-2"])
    }

    @Test func `Tokens that a call obtains during a logout are revoked as well`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens()
        let journey = try server.journey()
        _ = try await journey.start()
        _ = try await journey.oauthSession.tokens()
        server.transport.on(.post, TreeServer.realm + "/sessions") { _ in
            let tokens = try await journey.oauthSession.tokens()
            #expect(tokens.accessToken == "access-2")
            return .json("{}")
        }
        try await journey.logout()
        #expect(try await journey.oauthSession.current() == nil)
        let revoked = server.requests(TreeServer.oauth + "/token/revoke").map { queryPairs($0.text)["token"] }
        #expect(revoked == ["refresh-1", "access-1", "refresh-2", "access-2"])
    }

    @Test(arguments: [
        "https://am.example.com/am/XUI/?realm=/alpha", "https://app.example.com/cb?error=login_required&state=",
    ])
    func `If the server has ended the session, nobody is logged in`(_ location: String) async throws {
        let server = TreeServer()
        server.answer(.session())
        let hasEnded = Locked(false)
        server.issueTokens()
        server.transport.on(.post, TreeServer.oauth + "/access_token") { _ in
            .json(#"{"access_token":"short","token_type":"Bearer","expires_in":0}"#)
        }
        server.transport.on(.get, TreeServer.oauth + "/authorize") { request in
            let state = queryPairs(request.query ?? "")["state"] ?? ""
            if hasEnded.withLock({ $0 }) {
                return .redirect(to: location.hasSuffix("=") ? location + state : location)
            }
            return .redirect(to: "https://app.example.com/cb?code=code-1&state=\(state)")
        }
        let journey = try server.journey()
        _ = try await journey.start()
        try await journey.requestTokens()
        hasEnded.withLock { $0 = true }
        await expectError(\OAuthSessionError.isEnded, true) { try await journey.oauthSession.refresh() }
        await expectError(\OAuthSessionError.isNotLoggedIn, true) { try await journey.oauthSession.tokens() }
        await expectError(\JourneyError.kind, "oauth") { try await journey.requestTokens() }
        #expect(try await journey.session() != nil)
    }

    @Test func `Tokens of a session that is replaced meanwhile are revoked, and not stored`() async throws {
        let server = TreeServer()
        server.answer(.session("session-1"), .session("session-2"))
        server.issueTokens()
        let journey = try server.journey()
        _ = try await journey.start()
        server.transport.on(.get, TreeServer.oauth + "/authorize") { request in
            _ = try await journey.start()
            let state = queryPairs(request.query ?? "")["state"] ?? ""
            return .redirect(to: "https://app.example.com/cb?code=code-1&state=\(state)")
        }
        await expectError(\JourneyError.kind, "notSignedIn") { try await journey.requestTokens() }
        #expect(try await journey.session()?.token == "session-2")
        #expect(try await journey.oauthSession.current() == nil)
        let revoked = server.requests(TreeServer.oauth + "/token/revoke").map { queryPairs($0.text)["token"] }
        #expect(revoked == ["refresh-1", "access-1"])
    }

    @Test func `endSession does not remove a session that has replaced the one that it ends`() async throws {
        let server = TreeServer()
        server.answer(.session("session-1"), .session("session-2"))
        let journey = try server.journey()
        _ = try await journey.start()
        server.transport.on(.post, TreeServer.realm + "/sessions") { _ in
            _ = try await journey.start()
            return .json("{}")
        }
        try await journey.endSession()
        #expect(try await journey.session()?.token == "session-2")
    }

    @Test func `A logout that the server does not understand is an error`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.transport.on(.post, TreeServer.realm + "/sessions", .status(400))
        let journey = try server.journey()
        _ = try await journey.start()
        await expectError(\JourneyError.kind, "invalidResponse") { try await journey.endSession() }
        #expect(try await journey.session()?.token == "session-1")
    }

    @Test func `A record is unchanged after it was stored and loaded`() throws {
        let document = try JsonDocument(#"{"successUrl":"/a","realm":"/"}"#)
        let session = try #require(JourneySession(token: "t*.1", document))
        let owner = JourneySessionRecord.Owner(authenticateURL: "https://am.example.com", cookieName: "c")
        let record = JourneySessionRecord(session: session, cookies: "# Netscape\n", owner: owner)
        let copy = try JSONDecoder().decode(JourneySessionRecord.self, from: JSONEncoder().encode(record))
        #expect(copy == record)
        #expect("\(record)" == "session in the realm /")
    }
}

/// A store on a disk that may be full.
private final class FailingStore: JourneySessionStore {
    let fails = Locked(false)
    private let store = MemorySessionStore()

    func load() async -> JourneySessionRecord? { await store.load() }

    func save(_ record: JourneySessionRecord) async throws {
        if fails.withLock({ $0 }) { throw RecordStoreError(.cannotWrite, "the disk is full") }
        await store.save(record)
    }

    func delete() async { await store.delete() }

    func withExclusiveAccess<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await store.withExclusiveAccess(body)
    }
}

/// A store whose first save waits.
private final class WaitingStore: JourneySessionStore {
    let isSaving = Signal()
    let mayContinue = Signal()
    private let store = MemorySessionStore()

    func load() async -> JourneySessionRecord? { await store.load() }

    func save(_ record: JourneySessionRecord) async throws {
        isSaving.fire()
        try await mayContinue.wait()
        await store.save(record)
    }

    func delete() async { await store.delete() }

    func withExclusiveAccess<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await store.withExclusiveAccess(body)
    }
}
