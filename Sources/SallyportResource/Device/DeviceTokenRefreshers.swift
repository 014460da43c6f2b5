import SallyportOAuth

/// Obtains new tokens of the device with its own credentials, and registers the device again if the server has deregistered it.
///
/// There are no first tokens: ``DeviceIdentity/authenticateDevice(scopes:)`` requests them.
struct DeviceTokenRefresher: TokenRefresher {
    let registrar: DeviceRegistrar

    var identity: OAuthClientIdentity { registrar.sessionIdentity }

    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await registrar.withClient(registering: true) { client in
            try await client.clientCredentialsTokens(scopes: tokens.scopes)
        }
    }

    func canRefresh(_ tokens: OAuthTokens) -> Bool { true }

    func revoke(_ tokens: OAuthTokens) async throws { try await registrar.registeredClient().revoke(tokens) }
}

/// Refreshes the tokens of the signed-in user.
struct DeviceUserTokenRefresher: TokenRefresher {
    let registrar: DeviceRegistrar

    var identity: OAuthClientIdentity { registrar.sessionIdentity }

    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await registrar.withClient(registering: false) { client in try await client.refresh(tokens) }
    }

    func revoke(_ tokens: OAuthTokens) async throws { try await registrar.registeredClient().revoke(tokens) }
}

/// Obtains new implicit tokens of a registered user.
struct ImplicitTokenRefresher: TokenRefresher {
    let registrar: DeviceRegistrar
    let user: String

    var identity: OAuthClientIdentity { registrar.sessionIdentity }

    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        try await requestTokens(scopes: tokens.scopes ?? [])
    }

    func canRefresh(_ tokens: OAuthTokens) -> Bool { true }

    func revoke(_ tokens: OAuthTokens) async throws { try await registrar.registeredClient().revoke(tokens) }

    /// Requests tokens without interaction.
    ///
    /// If the server has no registration of the user on this device, the user is removed from the device's record.
    func requestTokens(scopes: [String]) async throws -> OAuthTokens {
        try await registrar.withClient(registering: false) { client in
            do {
                return try await client.tokens(
                    grantType: ImplicitGrant.grantType,
                    parameters: ["sub": user],
                    scopes: scopes,
                    action: .implicitAuthenticate
                )
            } catch let error as OAuthError where error.reportsUnknownUser {
                try await registrar.changeUsers(of: client.clientID) { [user] users in users.removeAll { $0 == user } }
                throw error
            }
        }
    }
}
