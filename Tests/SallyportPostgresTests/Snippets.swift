#if PostgreSQL && os(Linux)
import SallyportOAuth
import SallyportPostgres

// The Swift blocks of the documentation of SallyportPostgres; see ReadmeTests.

// SallyportPostgres.md

private func stored(server: OAuthClient) throws -> OAuthSession {
    let database = try PostgresDatabase("postgres://app@db.example.com/tokens")
    let session = OAuthSession(
        refresher: server,
        store: PostgresTokenStore("user-42", in: database, key: try .environment("TOKEN_KEY"))
    )
    return session
}
#endif
