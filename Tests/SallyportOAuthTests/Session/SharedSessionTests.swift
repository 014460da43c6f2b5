import Foundation
import Sallyport
import SessionSupport
import Testing
import TestSupport

@testable import SallyportOAuth

/// Sessions against a server that spends refresh tokens, and ends a login when one comes twice.
@Suite(.busy) struct SharedSessionTests {
    /// How many processes are killed: 20, unless `SALLYPORT_KILLS` says otherwise.
    private static let kills = number("SALLYPORT_KILLS") ?? 20
    /// How many times the tokens of several processes end: 4, unless `SALLYPORT_ROUNDS` says otherwise.
    private static let rounds = number("SALLYPORT_ROUNDS") ?? 4

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private func withPlace<Result: Sendable>(_ body: @escaping @Sendable (URL) async throws -> Result) async throws
        -> Result
    {
        try await withTemporaryDirectory { try await body($0.appendingPathComponent("tokens/tokens.json")) }
    }

    @Test func `10,000 calls with an ended token: the server counts one refresh, and all are served`() async throws {
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

    @Test func `1,000 calls that are rejected at the same time cause one refresh`() async throws {
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

    @Test func `four processes with 250 tasks each refresh once per end of a token, and nobody is logged out`()
        async throws
    {
        try await withPlace { file in
            try await RotatingServer.run { server in
                let grant = server.book.update { $0.logIn() }
                let store = FileTokenStore(at: file)
                let tokens = OAuthTokens(grant, expiresAt: Date() + 3600)
                try await store.save(TokenRecord(tokens: tokens, obtainedAt: Date()))
                let workers = try (0..<4).map { _ in try Worker(file, port: server.port, mode: "calls") }
                var offset = 0
                for round in 1...Self.rounds {
                    // In turn the tokens are over by the clock, and by the server's word alone.
                    if round % 2 == 0 { offset += 3600 }
                    server.book.update { $0.endAccessTokens() }
                    for worker in workers { worker.say("\(offset) 250") }
                    for worker in workers { #expect(try await worker.line(1 + round) == "250 × 200") }
                    #expect(server.book.value.refreshes == round)
                    #expect(server.book.value.replays == 0)
                }
            }
        }
    }

    @Test func `a process killed at any moment of refreshing leaves a login, or says that an answer was lost`()
        async throws
    {
        try await withPlace { file in
            try await RotatingServer.run(pause: .milliseconds(2)) { server in
                let store = FileTokenStore(at: file)
                var causes = KillCauses()
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
                    // Some moment of the refreshes that follow, another for each kill.
                    try await Task.sleep(for: .microseconds(seed * 7_919 % 25_000))
                    worker.kill()
                    try await server.open.wait("the process's connections to end") { $0 == 0 }
                    try await causes.count(nextStartOf: store, file, server)
                }
                print("\(Self.kills) kills: \(causes)")
                #expect(causes.total == Self.kills)
            }
        }
    }
}

/// What a kill has led to.
private struct KillCauses: CustomStringConvertible {
    var notHeard = 0
    var kept = 0
    var found = 0
    var lost = 0

    var total: Int { kept + found + lost + notHeard }

    var description: String {
        "logged in \(total - lost) (\(kept) between refreshes, \(found) by the new file beside the old one, "
            + "\(notHeard) marked but never heard by the server), \(lost) answers lost on the way, and said so"
    }

    /// Starts anew on what the process has left.
    mutating func count(
        nextStartOf store: FileTokenStore,
        _ file: URL,
        _ server: RotatingServer
    ) async throws {
        let beside = try? Data(contentsOf: URL(fileURLWithPath: file.path + ".new"))
        let whole = beside.flatMap { try? TokenFileFormat(key: nil).record(in: $0, place: "beside") }
        let onDisk = try await store.load()
        let left = try #require(try await store.withExclusiveAccess { try await store.load() })
        if let whole { #expect(left == whole) }
        let isHonoured = server.book.value.isHonoured(left.tokens.refreshToken ?? "")
        let replays = server.book.value.replays
        // A client and a store of its own, as another process has.
        let client = HttpClient.createClient()
        defer { client.close() }
        let session = OAuthSession(
            refresher: FormRefresher(client, at: server.tokenUrl),
            store: FileTokenStore(at: file)
        )
        do {
            try await session.refresh()
            #expect(isHonoured)
            if whole != nil, onDisk?.tokens != left.tokens {
                found += 1
            } else if left.refreshBegan != nil {
                notHeard += 1
            } else {
                kept += 1
            }
        } catch {
            guard case .answerLost = error else { throw error }
            // Only where the server had given another token, and nothing of it is on the disk.
            #expect(!isHonoured && left.refreshBegan != nil)
            #expect(server.book.value.replays == replays + 1)
            #expect("\(error)".contains("never reached the store") && "\(error)".contains("log in again"))
            lost += 1
        }
    }
}
