import SallyportJOSE

extension AuthorizationServerConfiguration {
    /// Returns the configuration for demos and tests. Its passwords are public.
    ///
    /// The user is `alice` with the password `wonderland`. The clients are `pub` (public: code with PKCE, refresh, device), `conf` with the
    /// secret `s3cret-conf` (also client credentials, and exchange of the tokens of `pub`) and, if a key is given, `jwe` with the secret
    /// `s3cret-jwe`. The id_tokens of `jwe` are encrypted with that key by RSA-OAEP-256 and A256GCM. The redirect URIs of the clients are
    /// `/cb`, `/callback` or `/` on any port of `127.0.0.1` and `[::1]`. The trees are `Login`, `LoginWithPush`, `OneTimePassword`,
    /// `RegisterPasskey`, `Passkey`, `MagicLink`, `Registration`, `StepUp`, `DeviceProfile`, `Waiting` and `Failing`, in the root realm and
    /// in the realm `alpha`. Installations of the app `com.example.app` can register as devices with
    /// ``GatewayApplication/developmentStatement(for:version:platform:)``, and there are resources at `/resources/accounts` (for users),
    /// `/resources/greeting` (also for implicit authentication), `/resources/assets` (for devices), `/resources/api` and
    /// `/resources/public`.
    ///
    /// - Parameter encryptionKey: The public RSA key of the client `jwe`.
    public static func development(encryptionKey: JsonWebKey? = nil) throws(GatewayError) -> Self {
        let alice = GatewayUser(
            username: "alice",
            password: try PasswordHash(hashing: "wonderland", cost: 4),
            claims: [
                "name": "Alice Liddell", "given_name": "Alice", "family_name": "Liddell",
                "email": "alice@example.com", "email_verified": true,
            ]
        )
        let redirectURIs = ["http://127.0.0.1", "http://[::1]"].flatMap { [$0 + "/cb", $0 + "/callback", $0 + "/"] }
        let userGrants: [GrantType] = [.authorizationCode, .refreshToken, .deviceCode]
        var metadata = ClientMetadata(
            clientName: "Public client",
            redirectURIs: redirectURIs,
            postLogoutRedirectURIs: redirectURIs,
            grantTypes: userGrants.map(\.rawValue),
            scope: "openid profile email offline_access api"
        )
        var clients = [GatewayClient(id: "pub", metadata: metadata)]
        metadata.clientName = "Confidential client"
        metadata.authenticationMethod = .clientSecretBasic
        metadata.grantTypes = GrantType.allCases.filter { $0 != .implicitAuthentication }.map(\.rawValue)
        clients.append(
            GatewayClient(
                id: "conf",
                secret: try PasswordHash(hashing: "s3cret-conf", cost: 4),
                metadata: metadata,
                tokenExchangeClients: ["pub"]
            )
        )
        if let encryptionKey {
            metadata.clientName = "Client with encrypted id_tokens"
            metadata.keys = JsonWebKeySet([encryptionKey])
            metadata.idTokenKeyManagement = .rsaOaep256
            metadata.grantTypes = userGrants.map(\.rawValue)
            clients.append(
                GatewayClient(id: "jwe", secret: try PasswordHash(hashing: "s3cret-jwe", cost: 4), metadata: metadata)
            )
        }
        var configuration = Self(users: [alice], clients: clients)
        configuration.allowsRegistration = true
        configuration.allowsDevelopmentCalls = true
        for index in configuration.clients.indices { configuration.clients[index].impliesConsent = true }
        configuration.trees = try .development()
        configuration.stepUpTree = "StepUp"
        configuration.realms = ["alpha"]
        configuration.applications = [try .development()]
        configuration.resourcePolicies = .development
        configuration.developmentAccounts = DevelopmentAccount.all
        return configuration
    }
}
