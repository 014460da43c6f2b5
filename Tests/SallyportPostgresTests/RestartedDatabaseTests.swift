#if PostgreSQL && os(Linux)
import Foundation
import SallyportOAuth
import SallyportPostgres
import SallyportStorage
import SessionSupport
import TestSupport
import Testing

/// Sessions whose database is stopped, restarted, killed or replaced by its replica.
@Suite(
    .busy,
    .enabled(
        if: PostgresCluster.script != nil,
        "run .ci/real-servers postgres -- swift test --traits default,PostgreSQL"
    )
)
struct RestartedDatabaseTests {
    /// An interruption of a running database.
    enum Interruption: CaseIterable {
        case stopped, stoppedAtOnce, backendsKilled

        func interrupt(_ cluster: PostgresCluster) async throws {
            switch self {
            case .stopped, .stoppedAtOnce:
                try await cluster.stop(self == .stopped ? "fast" : "immediate")
                try await cluster.start()
            case .backendsKilled: try await cluster.killBackends()
            }
        }
    }

    private let clock = Watched(Date())

    @Test(arguments: ["fast", "immediate"])
    func `While the database is stopped, valid tokens are used, and expired ones are refreshed after its start`(
        mode: String
    ) async throws {
        try await SharedSession.withCluster(clock) { cluster, server, sessions in
            let first = try await sessions[0].accessToken()
            try await cluster.stop(mode)
            // The refresh is due.
            clock.update { $0 += 3550 }
            for session in sessions { #expect(try await session.accessToken() == first) }
            clock.update { $0 += 100 }
            for session in sessions { #expect(try await session.unavailability() == .unreachable) }
            #expect(server.asked.value == 0)

            try await cluster.start()
            let second = try await sessions[0].accessToken()
            #expect(second != first)
            #expect(try await sessions[1].accessToken() == second)
            try await sessions[1].expectStored(second, server)
            #expect(server.book.value.refreshes == 1 && server.book.value.replays == 0)
        }
    }

    @Test(arguments: Interruption.allCases)
    func `If the database is interrupted while a refresh waits for its response, the new tokens are stored`(
        interruption: Interruption
    ) async throws {
        try await SharedSession.withCluster(clock) { cluster, server, sessions in
            clock.update { $0 += 3650 }
            let new = try await sessions[0].accessToken(of: server) { try await interruption.interrupt(cluster) }
            try await sessions[1].expectStored(new, server)
            #expect(try await sessions[1].accessToken() == new)
            #expect(server.book.value.refreshes == 1 && server.book.value.replays == 0)
        }
    }

    @Test func `Tokens that a stopped database could not store are used, and stored after its start`() async throws {
        try await SharedSession.withCluster(clock) { cluster, server, sessions in
            clock.update { $0 += 3650 }
            let new = try await sessions[0].accessToken(of: server) { try await cluster.stop("immediate") }
            #expect(try await sessions[1].unavailability() == .unreachable)
            try await cluster.start()
            // The session saves the tokens with its next call.
            clock.update { $0 += 5 }
            #expect(try await sessions[0].accessToken() == new)
            try await sessions[1].expectStored(new, server)
            #expect(try await sessions[1].accessToken() == new)
            #expect(server.book.value.refreshes == 1 && server.book.value.replays == 0)
        }
    }

    @Test func `While the database accepts no connections, open ones are used, and valid tokens too`() async throws {
        try await SharedSession.withCluster(clock) { cluster, server, sessions in
            let first = try await sessions[1].accessToken()
            sessions[1].database.close()
            try cluster.signalPostmaster(SIGSTOP)
            clock.update { $0 += 3550 }
            #expect(try await sessions[1].accessToken() == first)
            clock.update { $0 += 100 }
            #expect(try await sessions[1].unavailability() == .timedOut)
            let second = try await sessions[0].accessToken()
            #expect(second != first)
            try cluster.signalPostmaster(SIGCONT)
            #expect(try await sessions[1].accessToken() == second)
            #expect(server.book.value.refreshes == 1 && server.book.value.replays == 0)
        }
    }

    @Test func `While backends are killed during calls, tokens are refreshed once per expiry`() async throws {
        // Finding the backends takes as long, so that most refreshes are interrupted.
        try await RotatingServer.run(pause: .milliseconds(200)) { server in
            try await PostgresCluster.run { cluster in
                try await SharedSession.with(4, at: cluster.url(), server, clock) { sessions in
                    for round in 1...5 {
                        clock.update { $0 += 3650 }
                        async let kill: Void = cluster.killBackends()
                        let succeeded = try await callConcurrently(sessions)
                        try await kill
                        // A session that has tokens stores them first, if it could not do so before.
                        clock.update { $0 += 5 }
                        var tokens: Set<String> = []
                        let ordered = succeeded + (0..<4).filter { !succeeded.contains($0) }
                        for index in ordered { tokens.insert(try await sessions[index].accessToken()) }
                        #expect(tokens.count == 1)
                        try await sessions[0].expectStored(tokens.first ?? "", server)
                        #expect(server.book.value.refreshes == round && server.book.value.replays == 0)
                    }
                }
            }
        }
    }

    /// Asks each session for tokens from ten tasks. Each task gets the tokens or an error of the database.
    ///
    /// - Returns: The indices of the sessions with tokens.
    private func callConcurrently(_ sessions: [SharedSession]) async throws -> [Int] {
        try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for (index, session) in sessions.enumerated() {
                for _ in 0..<10 {
                    group.addTask {
                        do throws(OAuthSessionError) {
                            _ = try await session.accessToken()
                            return (index, true)
                        } catch {
                            guard case .store(let problem) = error else { throw error }
                            #expect([.unreachable, .timedOut].contains(problem.reason))
                            return (index, false)
                        }
                    }
                }
            }
            var succeeded: Set<Int> = []
            for try await (index, hasTokens) in group where hasTokens { succeeded.insert(index) }
            return succeeded.sorted()
        }
    }

    @Test func `When the primary fails, sessions continue with its replica`() async throws {
        try await RotatingServer.run { server in
            try await PostgresCluster.run { primary in
                try await primary.withReplica { replica in
                    let url = primary.url(or: replica, "&target_session_attrs=read-write")
                    try await SharedSession.with(2, at: url, server, clock) { sessions in
                        clock.update { $0 += 3650 }
                        let first = try await sessions[0].accessToken()
                        #expect(try await sessions[1].accessToken() == first)
                        try await primary.stop("immediate")
                        clock.update { $0 += 3550 }
                        for session in sessions { #expect(try await session.accessToken() == first) }
                        clock.update { $0 += 100 }
                        for session in sessions {
                            #expect([.unreachable, .readOnly].contains(try await session.unavailability()))
                        }
                        #expect(server.asked.value == 1)

                        try await replica.promote()
                        let second = try await sessions[1].accessToken()
                        #expect(second != first)
                        #expect(try await sessions[0].accessToken() == second)
                        try await sessions[0].expectStored(second, server)
                        #expect(server.book.value.refreshes == 2 && server.book.value.replays == 0)
                    }
                }
            }
        }
    }

    @Test func `If the primary fails while a refresh waits for its response, the replica stores the new tokens`()
        async throws
    {
        try await RotatingServer.run { server in
            try await PostgresCluster.run { primary in
                try await primary.withReplica { replica in
                    let url = primary.url(or: replica, "&target_session_attrs=read-write")
                    try await SharedSession.with(2, at: url, server, clock) { sessions in
                        clock.update { $0 += 3650 }
                        let new = try await sessions[0].accessToken(of: server) {
                            try await primary.stop("immediate")
                            try await replica.promote()
                        }
                        try await sessions[1].expectStored(new, server)
                        #expect(try await sessions[1].accessToken() == new)
                        #expect(server.book.value.refreshes == 1 && server.book.value.replays == 0)
                    }
                }
            }
        }
    }

    @Test func `A replica alone is read, and refuses writes`() async throws {
        try await PostgresCluster.run { primary in
            try await primary.withReplica { replica in
                let key = RecordStoreKey.generate()
                let record = TokenRecord(tokens: OAuthTokens(accessToken: "a"), client: FormRefresher.identity)
                let writable = try PostgresDatabase(primary.url())
                try await writable.migrate()
                try await PostgresTokenStore("alice", in: writable, key: key).save(record)
                writable.close()
                let database = try PostgresDatabase(replica.url())
                let store = PostgresTokenStore("alice", in: database, key: key)
                let session = OAuthSession(
                    refresher: FormRefresher(.createClient(), at: "http://127.0.0.1:1"),
                    store: store
                )
                #expect(try await session.tokens().accessToken == "a")
                let error = await #expect(throws: TokenStoreError.self) { try await store.save(record) }
                #expect(error?.reason == .readOnly)
                database.close()
            }
        }
    }
}
#endif
