import Foundation
import Sallyport
import SallyportGateway
@testable import SallyportStorage
import SessionSupport
import Testing
import TestSupport

@testable import SallyportOAuth

/// Sessions with a server whose refresh tokens can be used once, and which revokes a login when one is reused.
@Suite(.busy) struct SharedSessionTests {
    /// The number of processes that each test kills: 10 or `SALLYPORT_KILLS`.
    private static let kills = number("SALLYPORT_KILLS") ?? 10
    /// The number of times that the shared tokens expire: 4 or `SALLYPORT_ROUNDS`.
    private static let rounds = number("SALLYPORT_ROUNDS") ?? 4

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private func withStoreFile<Result: Sendable>(_ body: @escaping @Sendable (URL) async throws -> Result) async throws
        -> Result
    {
        try await withTemporaryDirectory { try await body($0.appendingPathComponent("tokens/tokens.json")) }
    }

    @Test func `Ten thousand calls with an expired token cause one refresh, and all succeed`() async throws {
        try await RotatingServer.run { server in
            let client = HttpClient.createClient { config in config.timeout = 120 }
            defer { client.close() }
            let grant = server.book.update { $0.logIn() }
            let session = OAuthSession(
                refresher: FormRefresher(client, at: server.tokenUrl),
                store: MemoryTokenStore(OAuthTokens(grant, expiresAt: Date(timeIntervalSince1970: 0)))
            )
            let api = client.authorized(by: session, for: server.apiUrl)
            let served = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<10_000 {
                    group.addTask { try await api.request { $0.url = server.apiUrl }.status == .ok }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(served == 10_000)
            let book = server.book.value
            #expect(book.refreshes == 1 && book.replays == 0 && book.served == 10_000 && book.rejected == 0)
        }
    }

    @Test func `One thousand calls that are rejected concurrently cause one refresh`() async throws {
        try await RotatingServer.run { server in
            let client = HttpClient.createClient { config in config.timeout = 60 }
            defer { client.close() }
            let grant = server.book.update { $0.logIn() }
            server.book.update { $0.endAccessTokens() }
            let session = OAuthSession(
                refresher: FormRefresher(client, at: server.tokenUrl),
                store: MemoryTokenStore(OAuthTokens(grant, expiresAt: Date() + 3600))
            )
            let api = client.authorized(by: session, for: server.apiUrl)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<1_000 {
                    group.addTask {
                        let response = try await api.request { $0.url = server.apiUrl }
                        #expect(response.status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.book.value.refreshes == 1)
        }
    }

    @Test func `Twenty processes call with a valid token while one of them waits for new tokens`() async throws {
        try await withStoreFile { file in
            try await RotatingServer.run { server in
                let gate = Signal()
                server.gate.update { $0 = gate }
                let tokens = OAuthTokens(server.book.update { $0.logIn() }, expiresAt: Date() + 3600)
                try await FileTokenStore(at: file).save(TokenRecord(tokens: tokens, obtainedAt: Date()))
                let workers = try (0..<20).map { _ in try Worker(file, port: server.port, mode: "calls") }
                for worker in workers { _ = try await worker.line(1) }
                // The refresh is due for all of them.
                for worker in workers { worker.send("3555 10") }
                for worker in workers { #expect(try await worker.line(2) == "10 × 200") }
                try await server.asked.wait("the refresh") { $0 == 1 }
                #expect(server.book.value.refreshes == 0 && server.book.value.rejected == 0)
                gate.fire()
                for worker in workers { worker.send("7200 1") }
                for worker in workers { #expect(try await worker.line(3) == "1 × 200") }
                #expect(server.book.value.replays == 0)
            }
        }
    }

    @Test func `Four processes with 250 tasks each refresh once per expiry and stay logged in`()
        async throws
    {
        try await withStoreFile { file in
            try await RotatingServer.run { server in
                let grant = server.book.update { $0.logIn() }
                let store = FileTokenStore(at: file)
                let tokens = OAuthTokens(grant, expiresAt: Date() + 3600)
                try await store.save(TokenRecord(tokens: tokens, obtainedAt: Date()))
                let workers = try (0..<4).map { _ in try Worker(file, port: server.port, mode: "calls") }
                var offset = 0
                for round in 1...Self.rounds {
                    // The tokens alternately expire by the clock and are rejected by the server.
                    if round % 2 == 0 { offset += 3600 }
                    server.book.update { $0.endAccessTokens() }
                    for worker in workers { worker.send("\(offset) 250") }
                    for worker in workers { #expect(try await worker.line(1 + round) == "250 × 200") }
                    #expect(server.book.value.refreshes == round)
                    #expect(server.book.value.replays == 0)
                }
            }
        }
    }

    /// - Parameter repeatsGrants: A Boolean value that indicates whether the server has a reuse interval.
    @Test(arguments: [false, true])
    func `After a process is killed during a refresh, the login works or the error reports a lost response`(
        repeatsGrants: Bool
    ) async throws {
        try await withStoreFile { file in
            try await RotatingServer.run(pause: .milliseconds(2)) { server in
                server.book.update { $0.repeatsGrants = repeatsGrants }
                let store = FileTokenStore(at: file)
                var outcomes = KillOutcomes()
                for seed in 0..<Self.kills {
                    if try await store.load() == nil {
                        let grant = server.book.update { $0.logIn() }
                        let tokens = OAuthTokens(grant, expiresAt: Date() + 3600)
                        try await store.save(TokenRecord(tokens: tokens, obtainedAt: Date()))
                    }
                    let worker = try Worker(file, port: server.port, mode: "refresh")
                    _ = try await worker.line(1)
                    let before = server.asked.value
                    try await server.asked.wait("a refresh") { $0 > before }
                    // Each process is killed at another moment of its refreshes.
                    try await Task.sleep(for: .microseconds(seed * 7_919 % 25_000))
                    worker.kill()
                    try await server.open.wait("the process's connections to end") { $0 == 0 }
                    try await outcomes.count(nextSessionOf: store, file, server)
                }
                print("\(Self.kills) kills \(repeatsGrants ? "with" : "without") a reuse interval: \(outcomes)")
                #expect(outcomes.total == Self.kills)
                if repeatsGrants { #expect(outcomes.lost == 0) }
            }
        }
    }

    @Test func `With a reuse interval at the gateway, killing a process during a refresh does not lose the login`()
        async throws
    {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.lifetimes.refreshTokenReuse = Self.reuseInterval
        let identity = try AuthorizationServer(configuration)
        try await withStoreFile { file in
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: identity)) { address in
                let store = FileTokenStore(at: file)
                let client = HttpClient.createClient()
                defer { client.close() }
                var lost = 0
                for seed in 0..<Self.kills {
                    if try await store.load() == nil {
                        let tokens = try await identity.logIn(at: address, with: client)
                        try await store.save(TokenRecord(tokens: tokens, obtainedAt: Date()))
                    }
                    let worker = try Worker(file, port: address.port, mode: "refresh")
                    // The first refresh has completed.
                    _ = try await worker.line(2)
                    try await Task.sleep(for: .microseconds(seed * 7_919 % 25_000))
                    worker.kill()
                    let session = OAuthSession(
                        refresher: FormRefresher(client, at: address.baseURL + "/token"),
                        store: FileTokenStore(at: file)
                    )
                    do throws(OAuthSessionError) {
                        try await session.refresh()
                    } catch {
                        guard case .responseLost = error else { throw error }
                        lost += 1
                    }
                }
                print("\(Self.kills) kills at the gateway, reuse interval \(Self.reuseInterval) s: \(lost) logins lost")
                if Self.reuseInterval > 0 { #expect(lost == 0) }
            }
        }
    }

    /// The reuse interval of the gateway in seconds: `SALLYPORT_REUSE_INTERVAL`, or more than a kill and restart takes. With 0,
    /// logins are lost.
    private static let reuseInterval = TimeInterval(number("SALLYPORT_REUSE_INTERVAL") ?? 60)
}

extension AuthorizationServer {
    /// Signs alice in with a device code.
    fileprivate nonisolated func logIn(at address: GatewayAddress, with http: HttpClient) async throws -> OAuthTokens {
        let client = OAuthClient(issuer: address.baseURL, clientID: FormRefresher.identity.clientID) { config in
            config.scopes = ["api"]
            config.httpClient = http
            config.clock = .immediate()
        }
        let device = try await client.deviceAuthorization()
        #expect(await approveDevice(userCode: device.userCode, as: "alice"))
        return try await client.tokens(for: device)
    }
}

/// The numbers of outcomes of killed processes.
private struct KillOutcomes: CustomStringConvertible {
    var notHeard = 0
    var kept = 0
    var found = 0
    var repeated = 0
    var lost = 0

    var total: Int { kept + found + repeated + lost + notHeard }

    var description: String {
        "logged in \(total - lost) (\(kept) between refreshes, \(found) with a complete new file, "
            + "\(notHeard) before the server received the refresh, \(repeated) with a repeated response), "
            + "\(lost) responses lost and reported"
    }

    /// Counts the outcome of a new session on the files of the killed process.
    mutating func count(
        nextSessionOf store: FileTokenStore,
        _ file: URL,
        _ server: RotatingServer
    ) async throws {
        let beside = try? Data(contentsOf: URL(fileURLWithPath: file.path + ".new"))
        let complete = beside.flatMap { try? RecordFile<TokenRecord>(key: nil).decode($0, location: "beside") }
        let onDisk = try await store.load()
        let left = try #require(try await store.withExclusiveAccess { try await store.load() })
        if let complete { #expect(left == complete) }
        let isHonoured = server.book.value.isHonoured(left.tokens.refreshToken ?? "")
        let (replays, repeats) = (server.book.value.replays, server.book.value.repeats)
        // A separate client and store, as in another process.
        let client = HttpClient.createClient()
        defer { client.close() }
        let session = OAuthSession(
            refresher: FormRefresher(client, at: server.tokenUrl),
            store: FileTokenStore(at: file)
        )
        do {
            try await session.refresh()
            #expect(isHonoured)
            if complete != nil, onDisk?.tokens != left.tokens {
                found += 1
            } else if server.book.value.repeats > repeats {
                repeated += 1
            } else if left.refreshBegan != nil {
                notHeard += 1
            } else {
                kept += 1
            }
        } catch {
            guard case .responseLost = error else { throw error }
            // This is allowed only if the server has issued another token that was never stored.
            #expect(!isHonoured && left.refreshBegan != nil)
            #expect(server.book.value.replays == replays + 1)
            #expect("\(error)".contains("was never stored") && "\(error)".contains("log in again"))
            lost += 1
        }
    }
}
