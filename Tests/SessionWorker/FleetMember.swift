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
    private let store: PostgresTokenStore
    private let session: OAuthSession

    /// - Parameters:
    ///   - url: The URL of the database.
    ///   - name: The name of this process, which its token requests contain.
    init(databaseAt url: String, name: String) throws {
        database = try PostgresDatabase(url) { config in
            config.maximumConnections = 2
            config.holdLimit = .seconds(15)
        }
        store = PostgresTokenStore("alice", in: database, key: try RecordStoreKey(Data(repeating: 16, count: 32)))
        let client = HttpClient.createClient { config in
            config.timeout = 10
            config.allowsPlainHTTP = true
            config.onRequest { request in request.setHeader(name: "X-Member", value: name) }
        }
        session = OAuthSession(
            refresher: FormRefresher(client, at: Self.tokenUrl, now: clock.now),
            store: store,
            refreshLimit: .seconds(10),
            now: clock.now
        )
    }

    /// Obeys the lines of the standard input until its end.
    func run() async {
        printLine("ready")
        while let line = readLine() { printLine(await answer(to: line).replacing("\n", with: " ")) }
        await session.finish()
        database.close()
    }

    private func answer(to line: String) async -> String {
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
            case "tokens":
                clock.set(offset: TimeInterval(words[1]) ?? 0)
                return "tokens \(Self.fingerprint(of: try await session.tokens()))"
            default:
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
