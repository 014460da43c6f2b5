#if PostgreSQL && os(Linux)
import Crypto
import Foundation
import Sallyport
import SallyportOAuth
import SallyportPostgres
import SallyportStorage
import SessionSupport

/// A process of a fleet, which shares the session of a user through a database. It prints one line for each line that it reads.
///
///     migrate            creates the tables, and prints "migrated"
///     save RESPONSE      saves the tokens of a login, from a token response in JSON, and prints "saved"
///     call OFFSET        obtains tokens as "tokens" does, does not wait for a refresh in the background, and prints "called ", the
///                        fingerprint and the time in milliseconds
///     finish             waits for that refresh, and prints "finished"
///     keys NAME [NAME]   uses the first key for encryption and all for decryption, from now on, and prints "keys"
///     encrypt            encrypts the stored tokens again, and prints "encrypted"
///     tokens OFFSET      obtains tokens, with a clock that is set forward by the seconds, and prints "tokens " and their fingerprint
///     stored             prints "stored ", the fingerprint of the stored tokens, and " marked" if their refresh began
///
/// If it fails, it prints "lost ", "signed out ", "network " (also if its refresh took too long) or "failed " and the error instead.
struct FleetMember {
    /// The address of the token endpoint in the network of the fleet.
    private static let tokenUrl = "http://10.77.0.1:8080/api/oidc/token"

    private struct TokenResponse: Decodable {
        var access_token: String
        var refresh_token: String
        var expires_in: Double
    }

    private let clock = WorkerClock()
    private let database: PostgresDatabase
    private let refresher: FormRefresher
    private var store: PostgresTokenStore
    private var session: OAuthSession

    /// - Parameters:
    ///   - url: The URL of the database.
    ///   - name: The name of this process, which its token requests contain.
    init(databaseAt url: String, name: String) throws {
        database = try PostgresDatabase(url) { config in
            config.maximumConnections = 2
            config.holdLimit = .seconds(15)
        }
        let client = HttpClient.createClient { config in
            config.timeout = 10
            config.allowsPlainHTTP = true
            config.onRequest { request in request.setHeader(name: "X-Member", value: name) }
        }
        refresher = FormRefresher(client, at: Self.tokenUrl, now: clock.now)
        store = PostgresTokenStore("alice", in: database, key: try Self.key(["old"]))
        session = Self.session(refresher, store, clock)
    }

    /// Returns the key whose first name encrypts.
    private static func key(_ names: [String]) throws -> RecordStoreKey {
        let keys = try names.map { name in try RecordStoreKey(Data(SHA256.hash(data: Data(name.utf8)))) }
        return keys.dropFirst().reduce(keys[0]) { $0.alsoDecrypting(with: $1) }
    }

    private static func session(_ refresher: FormRefresher, _ store: PostgresTokenStore, _ clock: WorkerClock)
        -> OAuthSession
    {
        OAuthSession(refresher: refresher, store: store, refreshLimit: .seconds(10), now: clock.now)
    }

    /// Obeys the lines of the standard input until its end.
    mutating func run() async {
        printLine("ready")
        while let line = readLine() { printLine(await answer(to: line).replacing("\n", with: " ")) }
        try? await session.finish()
        database.close()
    }

    private mutating func answer(to line: String) async -> String {
        do {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            switch words[0] {
            case "migrate":
                try await database.migrate()
                return "migrated"
            case "save":
                let response = try JSONDecoder().decode(TokenResponse.self, from: Data(words[1].utf8))
                let tokens = OAuthTokens(
                    accessToken: response.access_token,
                    expiresAt: clock.now() + response.expires_in,
                    refreshToken: response.refresh_token
                )
                try await session.save(tokens, revokesReplaced: false)
                return "saved"
            case "call":
                clock.set(offset: TimeInterval(words[1]) ?? 0)
                let start = ContinuousClock.now
                let tokens = try await session.tokens()
                return "called \(Self.fingerprint(of: tokens)) \((ContinuousClock.now - start) / .milliseconds(1))"
            case "finish":
                try await session.finish()
                return "finished"
            case "keys":
                let names = words[1].split(separator: " ").map(String.init)
                store = PostgresTokenStore("alice", in: database, key: try Self.key(names))
                session = Self.session(refresher, store, clock)
                return "keys"
            case "encrypt":
                try await store.reencrypt()
                return "encrypted"
            case "tokens":
                clock.set(offset: TimeInterval(words[1]) ?? 0)
                return "tokens \(Self.fingerprint(of: try await session.tokens()))"
            default:
                let store = store
                let record = try await store.withExclusiveAccess { try await store.load() }
                guard let record else { return "stored nothing" }
                let mark = record.refreshBegan == nil ? "" : " marked"
                return "stored \(Self.fingerprint(of: record.tokens))\(mark)"
            }
        } catch OAuthSessionError.responseLost(_, let failure) {
            return "lost \(failure)"
        } catch let error as OAuthSessionError where error.isLoggedOut {
            return "signed out \(error)"
        } catch OAuthSessionError.network(let error) {
            return "network \(error)"
        } catch {
            return "failed \(error)"
        }
    }

    private static func fingerprint(of tokens: OAuthTokens) -> String {
        SHA256.hash(data: Data(tokens.accessToken.utf8)).prefix(8).map { String(format: "%02x", $0) }.joined()
    }
}
#endif
