import Foundation
import Sallyport
import SallyportStorage
import Testing
import TestSupport

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct OAuthSessionTests {
    @Test func `Fresh tokens are returned without a refresh`() async throws {
        let refresher = ScriptedRefresher { _, _ in .number(9) }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.number(1)))
        for _ in 0..<3 { #expect(try await session.tokens().accessToken == "canary-access-1") }
        #expect(refresher.count.value == 0)
    }

    @Test func `Ten thousand tasks with expired tokens cause one refresh and all receive the new tokens`() async throws
    {
        let gate = Signal()
        let refresher = ScriptedRefresher { number, _ in
            try await gate.wait()
            return .number(number)
        }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10_000 { group.addTask { try await session.tokens().accessToken } }
            gate.fire()
            return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(tokens == ["canary-access-1": 10_000])
        #expect(refresher.count.value == 1)
    }

    @Test func `Tokens are refreshed ahead of their expiry, by at most half of their lifetime`() async throws {
        let clock = Watched(Date(timeIntervalSince1970: 1_000_000))
        let refresher = ScriptedRefresher { number, _ in
            var tokens = OAuthTokens.number(number)
            tokens.expiresAt = clock.value + 100
            return tokens
        }
        let session = OAuthSession(
            refresher: refresher,
            store: MemoryTokenStore(.ended),
            refreshAhead: .seconds(60)
        ) { clock.value }
        #expect(try await session.tokens().accessToken == "canary-access-1")
        clock.update { $0 += 49 }
        #expect(try await session.tokens().accessToken == "canary-access-1")
        try await session.finish()
        #expect(refresher.count.value == 1)
        // The time ahead is random within a fifth.
        clock.update { $0 += 11 }
        #expect(try await session.tokens().accessToken == "canary-access-1")
        try await session.finish()
        #expect(try await session.tokens().accessToken == "canary-access-2")
    }

    @Test func `A cancelled task stops waiting for the refresh, and other tasks continue to wait`() async throws {
        let gate = Signal()
        let refresher = ScriptedRefresher { number, _ in
            try await gate.wait()
            return .number(number)
        }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let stays = Task { try await session.tokens().accessToken }
        let leaves = Task { try await session.tokens().accessToken }
        try await refresher.count.wait("the refresh") { $0 == 1 }
        leaves.cancel()
        await expectError(\OAuthSessionError.kind, "network") { try await leaves.value }
        gate.fire()
        #expect(try await stays.value == "canary-access-1")
    }

    @Test func `A refresh completes and is saved even if no task waits for it`() async throws {
        let gate = Signal()
        let refresher = ScriptedRefresher { number, _ in
            try await gate.wait()
            try Task.checkCancellation()
            return .number(number)
        }
        let store = MemoryTokenStore(.ended)
        let session = OAuthSession(refresher: refresher, store: store)
        let task = Task { try await session.tokens() }
        try await refresher.count.wait("the refresh") { $0 == 1 }
        task.cancel()
        await expectError(\OAuthSessionError.kind, "network") { try await task.value }
        gate.fire()
        try await session.finish()
        #expect(await store.load()?.tokens.refreshToken == "canary-refresh-1")
    }

    @Test func `A network error is thrown to the caller and does not end the session`() async throws {
        let refresher = ScriptedRefresher { number, _ in
            if number == 1 { throw NetworkError.connectionFailed("nobody is there") }
            return .number(number)
        }
        let store = MemoryTokenStore(.ended)
        let session = OAuthSession(refresher: refresher, store: store)
        await #expect {
            try await session.tokens()
        } throws: { error in
            guard case OAuthSessionError.network(.connectionFailed) = error else { return false }
            return "\(error)".contains("nobody is there")
        }
        #expect(await store.load() == TokenRecord(tokens: .ended))
        #expect(try await session.tokens().accessToken == "canary-access-2")
    }

    @Test(arguments: [
        OAuthError.refusal("temporarily_unavailable", status: 503), .refusal("invalid_client", status: 401),
        OAuthError(status: 400, body: Data(), failure: "no answer of a token endpoint"),
    ])
    func `A refusal other than invalid_grant does not end the session`(_ refusal: OAuthError) async throws {
        let refresher = ScriptedRefresher { number, _ in
            if number == 1 { throw refusal }
            return .number(number)
        }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        await #expect {
            try await session.tokens()
        } throws: { error in
            guard case OAuthSessionError.refused(let error) = error else { return false }
            return error.error == refusal.error
        }
        #expect(try await session.tokens().accessToken == "canary-access-2")
    }

    @Test func `A thousand calls get valid tokens at once while one refresh is running`() async throws {
        let gate = Signal()
        let refresher = ScriptedRefresher { number, _ in
            try await gate.wait()
            return .number(number)
        }
        let now = Date()
        let store = MemoryTokenStore(TokenRecord(tokens: .number(0, at: now - 3560), obtainedAt: now - 3560))
        let session = OAuthSession(refresher: refresher, store: store) { now }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1000 { group.addTask { try await session.tokens().accessToken } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens == ["canary-access-0"])
        try await session.finish(within: .milliseconds(1))
        #expect(session.isRefreshing)
        gate.fire()
        try await session.finish()
        #expect(try await session.tokens().accessToken == "canary-access-1")
        #expect(refresher.count.value == 1)
    }

    @Test func `A store is read without exclusive access while its tokens are fresh`() async throws {
        let store = WatchedStore(.number(1))
        let session = OAuthSession(refresher: ScriptedRefresher { number, _ in .number(number) }, store: store)
        let first = try await session.tokens()
        await store.replace(with: TokenRecord(tokens: .number(2)))
        #expect(try await session.tokens(replacing: first).accessToken == "canary-access-2")
        #expect(store.accesses.value == 0)
    }

    @Test func `If an early refresh fails, the old tokens are used until they expire`() async throws {
        let clock = Watched(Date(timeIntervalSince1970: 1_000_000))
        let refresher = ScriptedRefresher { _, _ in throw NetworkError.timeout("nothing came") }
        let store = MemoryTokenStore()
        await store.save(
            TokenRecord(tokens: .number(0, at: clock.value - 3560), obtainedAt: clock.value - 3560)
        )
        let session = OAuthSession(refresher: refresher, store: store) { clock.value }
        for _ in 0..<2 {
            #expect(try await session.tokens().accessToken == "canary-access-0")
            try await session.finish()
        }
        #expect(refresher.count.value == 1)
        clock.update { $0 += 10 }
        #expect(try await session.tokens().accessToken == "canary-access-0")
        try await session.finish()
        #expect(refresher.count.value == 2)
        clock.update { $0 += 50 }
        await expectError(\OAuthSessionError.kind, "network") { try await session.tokens() }
    }

    @Test func `If the store stays locked, the old tokens are used until they expire`() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "tokens.json")
        let holder = FileTokenStore(at: file)
        let end = Date() + 30
        try await holder.save(TokenRecord(tokens: OAuthTokens(accessToken: "a", expiresAt: end, refreshToken: "r")))
        let time = Locked(Date())
        let session = OAuthSession(
            refresher: ScriptedRefresher { number, _ in .number(number) },
            store: FileTokenStore(at: file, lockLimit: .milliseconds(20))
        ) { time.withLock { $0 } }
        try await holder.withExclusiveAccess {
            let tokens = try await session.tokens()
            #expect(tokens.accessToken == "a")
            time.withLock { $0 = end }
            await expectError(\OAuthSessionError.kind, "store") { try await session.tokens() }
        }
        let tokens = try await session.tokens()
        #expect(tokens.accessToken == "canary-access-1")
    }

    @Test func `The error invalid_grant ends the session, clears the store and advises to log in again`() async throws {
        let refresher = ScriptedRefresher { _, _ in throw OAuthError.refusal("invalid_grant") }
        let store = MemoryTokenStore(.ended)
        let session = OAuthSession(refresher: refresher, store: store)
        await #expect {
            try await session.tokens()
        } throws: { error in
            guard case OAuthSessionError.ended = error else { return false }
            return "\(error)".contains("log in again") && (error as? OAuthSessionError)?.isLoggedOut == true
        }
        #expect(await store.load() == nil)
        await #expect {
            try await session.tokens()
        } throws: { error in
            if case OAuthSessionError.notLoggedIn = error { true } else { false }
        }
        #expect(refresher.count.value == 1)
    }

    @Test func `The error invalid_grant after a lost refresh response is reported as responseLost`() async throws {
        let refresher = ScriptedRefresher { number, _ in
            if number == 1 { throw NetworkError.connectionLost(NetworkFailure("cut", phase: .head)) }
            throw OAuthError.refusal("invalid_grant")
        }
        let store = MemoryTokenStore(.ended)
        _ = try? await OAuthSession(refresher: refresher, store: store).tokens()
        #expect(await store.load()?.refreshBegan != nil)
        await #expect {
            try await OAuthSession(refresher: refresher, store: store).tokens()
        } throws: { error in
            guard case OAuthSessionError.responseLost = error else { return false }
            return "\(error)".contains("was never stored")
        }
    }

    @Test(arguments: [TokenStoreError.Reason.unreachable, .configuration, .busy])
    func `While the store is unavailable, the tokens in memory are used until they expire`(
        reason: TokenStoreError.Reason
    ) async throws {
        let clock = Watched(Date(timeIntervalSince1970: 1_000_000))
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let store = UnreachableStore(reason)
        try await store.save(TokenRecord(tokens: .number(0, at: clock.value), obtainedAt: clock.value))
        let session = OAuthSession(refresher: refresher, store: store) { clock.value }
        #expect(try await session.tokens().accessToken == "canary-access-0")
        store.isReachable.update { $0 = false }
        clock.update { $0 += 3550 }
        #expect(try await session.tokens().accessToken == "canary-access-0")
        clock.update { $0 += 50 }
        let error = await #expect(throws: OAuthSessionError.self) { try await session.tokens() }
        guard case .store(let problem) = error else { throw try #require(error) }
        #expect(problem.reason == reason && error?.isLoggedOut == false)
        #expect(refresher.count.value == 0)
        store.isReachable.update { $0 = true }
        #expect(try await session.tokens().accessToken == "canary-access-1")
    }

    @Test func `If the exclusive access ends during a refresh, the tokens that were stored meanwhile are used`()
        async throws
    {
        let now = Date()
        let store = WatchedStore(.ended) { number in
            // The first save is the mark, and the second one that of the new tokens.
            if number == 2 { throw TokenStoreError(.accessLost, "another process has changed the record") }
        }
        let refresher = ScriptedRefresher { number, _ in
            // A new login in another process.
            await store.replace(with: TokenRecord(tokens: .number(7, at: now), obtainedAt: now))
            return .number(number, at: now)
        }
        let session = OAuthSession(refresher: refresher, store: store) { now }
        #expect(try await session.tokens().accessToken == "canary-access-7")
        #expect(try await session.tokens().accessToken == "canary-access-7")
        #expect(await store.load()?.tokens.accessToken == "canary-access-7")
        #expect(refresher.count.value == 1)
    }

    @Test func `If the server refuses a refresh token that another process has used, the session does not end`()
        async throws
    {
        let now = Date()
        let store = WatchedStore(.ended)
        store.deletionError.update { $0 = TokenStoreError(.accessLost, "another process has changed the record") }
        let refresher = ScriptedRefresher { _, _ in
            // Another process has refreshed the tokens, and has begun to refresh them again.
            let other = TokenRecord(tokens: .number(7, at: now), obtainedAt: now, refreshBegan: now)
            await store.replace(with: other)
            throw OAuthError.refusal("invalid_grant")
        }
        let session = OAuthSession(refresher: refresher, store: store) { now }
        #expect(try await session.tokens().accessToken == "canary-access-7")
        #expect(await store.load()?.tokens.accessToken == "canary-access-7")
    }

    @Test func `A refresh token is not sent if saving the mark took longer than the limit`() async throws {
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let store = WatchedStore(.ended) { number in
            if number == 1 { try await Task.sleep(for: .milliseconds(20)) }
        }
        let session = OAuthSession(refresher: refresher, store: store, refreshLimit: .milliseconds(10))
        await expectError(\OAuthSessionError.kind, "network") { try await session.tokens() }
        #expect(refresher.count.value == 0)
    }

    @Test func `A refusal without an error code after a lost refresh response is reported, and the tokens are kept`()
        async throws
    {
        let refresher = ScriptedRefresher { number, _ in
            if number == 1 { throw NetworkError.connectionLost(NetworkFailure("cut", phase: .head)) }
            if number == 2 { throw OAuthError(status: 400, body: Data(), failure: "no answer of a token endpoint") }
            return .number(number)
        }
        let store = MemoryTokenStore(.ended)
        _ = try? await OAuthSession(refresher: refresher, store: store).tokens()
        let error = await #expect(throws: OAuthSessionError.self) {
            try await OAuthSession(refresher: refresher, store: store).tokens()
        }
        #expect(error?.kind == "responseLost" && error?.isLoggedOut == true)
        #expect(error?.description.contains("was never stored") == true)
        #expect(await store.load()?.refreshBegan != nil)
        #expect(try await OAuthSession(refresher: refresher, store: store).tokens().accessToken == "canary-access-3")
    }

    @Test func `A refresh that another process left incomplete is repeated at once, while its access token is used`()
        async throws
    {
        let refresher = ScriptedRefresher { _, old in
            #expect(old.refreshToken == "canary-refresh-0")
            return .number(1)
        }
        let now = Date()
        let left = TokenRecord(tokens: .number(0, at: now), obtainedAt: now, refreshBegan: now)
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(left)) { now }
        #expect(try await session.tokens().accessToken == "canary-access-0")
        try await session.finish()
        for _ in 0..<3 { #expect(try await session.tokens().accessToken == "canary-access-1") }
        #expect(refresher.count.value == 1)
    }

    @Test func `If a refresh response is refused, only its refresh token is stored`() async throws {
        var refusal = OAuthError.refusal("the id_token is another's", status: 200)
        refusal.issuedRefreshToken = "canary-refresh-1"
        let refresher = ScriptedRefresher { [refusal] number, old in
            if number == 1 { throw refusal }
            #expect(old.refreshToken == "canary-refresh-1")
            return .number(2)
        }
        var old = OAuthTokens.ended
        old.idToken = "id"
        let store = WatchedStore(old)
        let session = OAuthSession(refresher: refresher, store: store)
        await #expect {
            try await session.tokens()
        } throws: { error in
            if case OAuthSessionError.refused = error { true } else { false }
        }
        old.refreshToken = "canary-refresh-1"
        #expect(await store.load() == TokenRecord(tokens: old))
        #expect(try await session.tokens().accessToken == "canary-access-2")
    }

    @Test func `The refresh token of a refused response stays in memory if it cannot be saved`()
        async throws
    {
        var refusal = OAuthError.refusal("the id_token is another's", status: 200)
        refusal.issuedRefreshToken = "canary-refresh-1"
        let refresher = ScriptedRefresher { [refusal] number, old in
            if number == 1 { throw refusal }
            #expect(old.refreshToken == "canary-refresh-1")
            return .number(2)
        }
        let store = WatchedStore(.ended) { number in
            if (2...4).contains(number) { throw TokenStoreError(.cannotWrite, "the disk is full") }
        }
        let session = OAuthSession(refresher: refresher, store: store)
        await expectError(\OAuthSessionError.kind, "refused") { try await session.tokens() }
        #expect(try await session.tokens().accessToken == "canary-access-2")
        #expect(await store.load()?.tokens.refreshToken == "canary-refresh-2")
    }

    @Test func `Tokens received within the refresh limit are saved even if their validation exceeds it`()
        async throws
    {
        let refresher = ScriptedRefresher { _, _ in
            // Like a validation that continues without the server's keys when it is cancelled.
            try? await Signal().wait(within: .seconds(60))
            return .number(1)
        }
        let store = MemoryTokenStore(.ended)
        let session = OAuthSession(refresher: refresher, store: store, refreshLimit: .milliseconds(500)) { Date() }
        #expect(try await session.tokens().accessToken == "canary-access-1")
        #expect(await store.load()?.tokens.refreshToken == "canary-refresh-1")
    }

    @Test func `Values missing from refreshed tokens are taken from the old tokens`() async throws {
        let refresher = ScriptedRefresher { _, _ in OAuthTokens(accessToken: "new") }
        var old = OAuthTokens.ended
        old.idToken = "id"
        old.scope = "read"
        let store = MemoryTokenStore(old)
        let tokens = try await OAuthSession(refresher: refresher, store: store).tokens()
        #expect(tokens.accessToken == "new")
        #expect(tokens.refreshToken == old.refreshToken)
        #expect(tokens.idToken == "id" && tokens.scope == "read")
        #expect(await store.load()?.tokens == tokens)
    }

    @Test func `The store is marked before a refresh and contains the new tokens before any task receives them`()
        async throws
    {
        let gate = Signal()
        let store = WatchedStore(.ended) { number in if number == 2 { try await gate.wait() } }
        let refresher = ScriptedRefresher { number, _ in
            #expect(store.saved.value.map(\.tokens) == [.ended])
            #expect(store.saved.value.first?.refreshBegan != nil)
            return .number(number)
        }
        let session = OAuthSession(refresher: refresher, store: store)
        let isThrough = Watched(false)
        let task = Task {
            let tokens = try await session.tokens()
            isThrough.update { $0 = true }
            return tokens
        }
        try await store.saved.wait("the new tokens to be saved") { $0.count == 2 }
        #expect(!isThrough.value)
        gate.fire()
        #expect(try await task.value.accessToken == "canary-access-1")
        #expect(store.saved.value.last?.refreshBegan == nil)
    }

    @Test func `No refresh is sent if the store cannot be written`() async throws {
        let store = WatchedStore(.ended) { _ in throw TokenStoreError(.cannotWrite, "the disk is full") }
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: store)
        await #expect {
            try await session.tokens()
        } throws: { error in
            if case OAuthSessionError.store = error { "\(error)".contains("the disk is full") } else { false }
        }
        #expect(refresher.count.value == 0)
    }

    @Test func `New tokens that cannot be saved stay in memory until the store can be written`() async throws {
        let isBroken = Watched(true)
        let clock = Watched(Date())
        let store = WatchedStore(.ended) { number in
            if number > 1, isBroken.value { throw TokenStoreError(.cannotWrite, "the disk is full") }
        }
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: store) { clock.value }
        #expect(try await session.tokens().accessToken == "canary-access-1")
        #expect(await store.load()?.tokens == .ended)
        isBroken.update { $0 = false }
        clock.update { $0 += 10 }
        #expect(try await session.tokens().accessToken == "canary-access-1")
        try await session.finish()
        #expect(await store.load()?.tokens.accessToken == "canary-access-1")
        #expect(refresher.count.value == 1)
    }

    @Test
    func `New tokens that are only in memory are saved before the program ends, as soon as the store accepts them`()
        async throws
    {
        // The first save marks the record.
        let store = WatchedStore(.ended) { number in
            if (2...5).contains(number) { throw TokenStoreError(.cannotWrite, "the disk is full") }
        }
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: store)
        #expect(try await session.tokens().accessToken == "canary-access-1")
        #expect(await store.load()?.tokens == .ended)
        // The end does not wait for a response, but for the store.
        try await session.finish(within: .zero)
        #expect(await store.load()?.tokens.accessToken == "canary-access-1")
        #expect(refresher.count.value == 1)
    }

    @Test func `The end of a program does not replace tokens that another process has stored`() async throws {
        let store = WatchedStore(.ended) { number in
            if number > 1 { throw TokenStoreError(.cannotWrite, "the disk is full") }
        }
        let session = OAuthSession(refresher: ScriptedRefresher { number, _ in .number(number) }, store: store)
        #expect(try await session.tokens().accessToken == "canary-access-1")
        await store.replace(with: TokenRecord(tokens: .number(7)))
        try await session.finish()
        #expect(await store.load()?.tokens.accessToken == "canary-access-7")
    }

    @Test func `Fresh tokens are refreshed on request, and both new tokens are used from then on`() async throws {
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.number(0)))
        #expect(try await session.refresh().accessToken == "canary-access-1")
        #expect(try await session.tokens().accessToken == "canary-access-1")
        #expect(try await session.findRefreshToken() == "canary-refresh-1")
        #expect(refresher.count.value == 1)
    }

    @Test func `Tokens refreshed by another process are used without another refresh`() async throws {
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let store = MemoryTokenStore(.number(1))
        let session = OAuthSession(refresher: refresher, store: store)
        let first = try await session.tokens()
        await store.save(TokenRecord(tokens: .number(7)))
        #expect(try await session.tokens(replacing: first).accessToken == "canary-access-7")
        #expect(refresher.count.value == 0)
    }

    @Test func `Tokens without a refresh token are used until they expire; then the error advises to log in again`()
        async throws
    {
        let clock = Watched(Date(timeIntervalSince1970: 1_000_000))
        var tokens = OAuthTokens.number(1, at: clock.value - 3590)
        tokens.refreshToken = nil
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(tokens)) { clock.value }
        #expect(try await session.tokens() == tokens)
        clock.update { $0 += 10 }
        await #expect {
            try await session.tokens()
        } throws: { error in
            if case OAuthSessionError.expired = error { "\(error)".contains("log in again") } else { false }
        }
    }

    @Test func `Saving and resetting change the tokens that findAccessToken and findRefreshToken return`() async throws
    {
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore())
        #expect(try await session.findAccessToken() == nil)
        try await session.save(.number(1))
        #expect(try await session.findAccessToken() == "canary-access-1")
        #expect(try await session.findRefreshToken() == "canary-refresh-1")
        #expect(try await session.tokens().accessToken == "canary-access-1")
        try await session.save(.ended)
        #expect(try await session.findAccessToken() == nil)
        #expect(try await session.findRefreshToken() == "canary-refresh-0")
        try await session.reset()
        #expect(try await session.findRefreshToken() == nil)
        await expectError(\OAuthSessionError.kind, "notLoggedIn") { try await session.tokens() }
    }

    @Test func `A refresh does not overwrite tokens that a login saves during it`() async throws {
        let gate = Signal()
        let refresher = ScriptedRefresher { number, _ in
            try await gate.wait()
            return .number(number)
        }
        let store = MemoryTokenStore(.ended)
        let session = OAuthSession(refresher: refresher, store: store)
        let task = Task { try await session.tokens() }
        try await refresher.count.wait("the refresh") { $0 == 1 }
        async let saved: Void = session.save(.number(50))
        gate.fire()
        _ = try await task.value
        try await saved
        #expect(try await session.tokens().accessToken == "canary-access-50")
        #expect(await store.load()?.tokens.accessToken == "canary-access-50")
    }

    @Test func `A refresh that exceeds its time limit is cancelled, and the next call refreshes again`() async throws {
        let refresher = ScriptedRefresher { number, _ in
            if number == 1 { try await Signal().wait(within: .seconds(60)) }
            return .number(number)
        }
        let session = OAuthSession(
            refresher: refresher,
            store: MemoryTokenStore(.ended),
            // Long enough for the second refresh on a busy machine.
            refreshLimit: .seconds(10)
        ) { Date() }
        await #expect {
            try await session.tokens()
        } throws: { error in
            if case OAuthSessionError.network(.timeout) = error { true } else { false }
        }
        #expect(try await session.tokens().accessToken == "canary-access-2")
    }
}
