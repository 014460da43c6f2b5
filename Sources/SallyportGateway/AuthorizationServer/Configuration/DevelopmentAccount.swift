/// A user or client of the development server. Its password or secret is public.
struct DevelopmentAccount: Sendable {
    /// The kind, `user` or `client`.
    let kind: String
    let name: String
    /// The password or secret, and what the account is for.
    let description: String

    /// The accounts of ``AuthorizationServerConfiguration/development(encryptionKey:)``, except for the client that needs a key.
    static let all = [
        DevelopmentAccount(kind: "user", name: "alice", description: "The password is wonderland."),
        DevelopmentAccount(
            kind: "client",
            name: "pub",
            description: "A public client: authorization code with PKCE, refresh tokens, device codes and trees."
        ),
        DevelopmentAccount(
            kind: "client",
            name: "conf",
            description: "The secret is s3cret-conf. It can also use client credentials and exchange the tokens of pub."
        ),
    ]
}
