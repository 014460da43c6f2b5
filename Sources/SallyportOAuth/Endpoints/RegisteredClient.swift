import Foundation
import Sallyport
import SallyportJOSE

/// The registration of a client at a server (RFC 7591, section 3.2.1). Its description contains no secret.
public struct RegisteredClient: Sendable, Equatable {
    /// The client identifier.
    public let clientID: String
    /// All members of the response, including secrets.
    public let members: [String: JsonValue]

    /// The client secret, if the server issued one.
    public var clientSecret: String? { members["client_secret"]?.string }
    /// The expiry of the client secret; `nil` if it does not expire.
    public var clientSecretExpiresAt: Date? {
        members["client_secret_expires_at"]?.numberOrText.flatMap { $0 > 0 ? Date(timeIntervalSince1970: $0) : nil }
    }
    /// The URL at which the registration can be read and removed (RFC 7592).
    public var registrationURI: String? { members["registration_client_uri"]?.string }
    /// The access token for ``registrationURI``: a secret.
    public var registrationToken: String? { members["registration_access_token"]?.string }

    /// The client authentication; `nil` if the registered method is not supported, requires a private key, or lacks its secret.
    public var authentication: ClientAuthentication? {
        switch (members["token_endpoint_auth_method"]?.string ?? "client_secret_basic", clientSecret) {
        case ("none", _): ClientAuthentication.none
        case ("client_secret_basic", let secret?): .secretBasic(secret)
        case ("client_secret_post", let secret?): .secretPost(secret)
        default: nil
        }
    }
}

extension RegisteredClient: CustomStringConvertible, CustomReflectable {
    /// The client identifier.
    public var description: String { "client \(clientID)" }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["client": description], displayStyle: .struct) }
}

extension OAuthServer {
    /// Registers a client (RFC 7591).
    ///
    /// ```swift
    /// let client = try await server.register([
    ///     "client_name": "My app", "redirect_uris": ["http://127.0.0.1/callback"],
    ///     "token_endpoint_auth_method": "none",
    /// ])
    /// ```
    ///
    /// - Parameters:
    ///   - members: The client metadata.
    ///   - initialToken: The initial access token, if the server requires one (RFC 7591, section 3).
    ///   - key: The key in `jwks` of a client with `private_key_jwt`. The request proves it (DPoP, RFC 9449), which some servers
    ///     need to recognize a client that registers again. Sallyport's gateway then returns the same client identifier.
    /// - Throws: ``OAuthError``, ``NetworkError``.
    public func register(
        _ members: [String: JsonValue],
        initialToken: String? = nil,
        provingKey key: SigningKey? = nil
    ) async throws -> RegisteredClient {
        let url = try await url(of: .registration)
        let response = try await sendWithProof(by: key, to: url) { maker in
            var request = self.request(url, .registerClient)
            request.post(json: members)
            try await self.addProof(by: maker, to: &request, url: url)
            return try await self.send(request, token: initialToken)
        }
        return try Self.registeredClient(in: response)
    }

    /// Reads a client's registration (RFC 7592, section 2.1).
    public func registration(of client: RegisteredClient) async throws -> RegisteredClient {
        let request = request(try managementURL(of: client), .registerClient)
        return try Self.registeredClient(in: try await send(request, token: client.registrationToken))
    }

    /// Removes a client's registration (RFC 7592, section 2.3).
    public func unregister(_ client: RegisteredClient) async throws {
        var request = request(try managementURL(of: client), .registerClient)
        request.delete()
        let response = try await send(request, token: client.registrationToken)
        try response.checkSuccess(of: "the removal of the registration")
    }

    private func managementURL(of client: RegisteredClient) throws -> String {
        guard let url = client.registrationURI, EndpointAddress.problem(with: url, of: issuer) == nil else {
            throw OAuthError(failure: NetworkFailure("\(issuer) provided no URL to manage the registration"))
        }
        return url
    }

    private static func registeredClient(in response: OAuthResponse) throws -> RegisteredClient {
        let members = try response.object(of: "the registration")
        guard let clientID = members["client_id"]?.string, !clientID.isEmpty else {
            throw response.invalid("the response has no client_id")
        }
        return RegisteredClient(clientID: clientID, members: members)
    }

    private func send(_ request: HttpRequest, token: String?) async throws -> OAuthResponse {
        var request = request
        if let token {
            let name = NetworkConstants.headerAuthorization
            request.setHeader(name: name, value: "Bearer \(token)", isSensitive: true)
        }
        return try OAuthResponse(try await httpClient.request(request: request), secrets: [token].compactMap(\.self))
    }
}
