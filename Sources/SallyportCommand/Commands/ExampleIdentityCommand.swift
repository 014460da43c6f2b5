import ArgumentParser

/// Prints an example of the file of `serve --identity`.
struct ExampleIdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example-identity",
        abstract: "Prints an example of the file for --identity.",
        discussion: """
            The example has the user dora with the password pw-dora, the public client cli, the client service with the secret \
            s3cret-service, and a tree. Replace the hashes by those of `sallyport serve hash-password`. Docs/identity.md describes \
            all members.

            Examples:
              sallyport serve example-identity > identity.json
              sallyport serve --identity identity.json
            """
    )

    func run() {
        print(Self.example)
    }

    /// The example, which is also in `Docs/identity.md`.
    static let example = """
        {
          "users": [
            {
              "username": "dora",
              "password": "scrypt$ln=14,r=8,p=1$adsxl26tN7hcxCpJyV_Qbg$CHZKgisEQ_g8AFbE80hLZadx9c080_JZIiuk2ROJD0I",
              "claims": {"name": "Dora", "email": "dora@example.com", "email_verified": true}
            }
          ],
          "clients": [
            {
              "client_id": "cli",
              "client_name": "Command line",
              "token_endpoint_auth_method": "none",
              "redirect_uris": ["http://127.0.0.1/callback"],
              "grant_types": [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"
              ],
              "scope": "openid profile email offline_access api",
              "implied_consent": true
            },
            {
              "client_id": "service",
              "client_secret": "scrypt$ln=14,r=8,p=1$nfawJqjGwm48Os0jcKFukw$3seE9QvfzVvFkRRhOQPf-6z7Z4D_O1m6urBvryd30i4",
              "grant_types": ["client_credentials"],
              "scope": "api"
            }
          ],
          "trees": {
            "Login": {
              "start": "ask",
              "nodes": {
                "ask": {
                  "type": "page",
                  "nodes": [{"type": "username"}, {"type": "password"}],
                  "next": "check"
                },
                "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
              }
            }
          },
          "resource_policies": [
            {"path": "/reports", "scope": "api"},
            {"path": "/public"}
          ],
          "lifetimes": {"access_token": 300, "refresh_token": 2592000, "session": 28800}
        }
        """
}
