import SallyportJOSE

extension RegisteredClient: Codable {
    /// Decodes the client information response of a server (RFC 7591, section 3.2.1).
    ///
    /// Store it like a password: it contains the client secret and the registration access token.
    ///
    /// - Throws: `DecodingError` if it is not an object with a `client_id`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let members = try container.decode([String: JsonValue].self)
        guard let clientID = members["client_id"]?.string, !clientID.isEmpty else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The client_id is missing.")
        }
        self.init(clientID: clientID, members: members)
    }

    /// Encodes the members of the client information response, including the secrets.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members.merging(["client_id": .string(clientID)]) { _, id in id })
    }
}

extension RegisteredClient {
    /// Returns the authentication of a client that may be registered with `private_key_jwt`.
    ///
    /// ```swift
    /// let client = try await server.register([
    ///     "token_endpoint_auth_method": "private_key_jwt", "grant_types": ["client_credentials"],
    ///     "jwks": ["keys": [.object(publicKey.members)]],
    /// ])
    /// config.authentication = client.authentication(signingKey: key) ?? .none
    /// ```
    ///
    /// - Parameter signingKey: The private key for the assertions of a client with `private_key_jwt`.
    /// - Returns: The authentication, or `nil` if the registered method is unsupported or its secret is missing.
    public func authentication(signingKey: SigningKey) -> ClientAuthentication? {
        members["token_endpoint_auth_method"]?.string == "private_key_jwt" ? .privateKeyJwt(signingKey) : authentication
    }
}
