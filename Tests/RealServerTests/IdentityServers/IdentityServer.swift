import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import Testing

/// A running identity server, with closures that complete its pages without a browser.
///
/// All servers have the same clients: `pub` without a secret, `conf`, and `jwe`, whose id_token is encrypted.
struct IdentityServer: Sendable, CustomTestStringConvertible {
    /// An ability that not every server has.
    enum Ability: Sendable {
        /// Token exchange (RFC 8693).
        case tokenExchange
        /// UserInfo requires a proof of the right key (RFC 9449); Glewlwyd 2.7.5 accepts a proof of any key.
        case proofsOfUserInfo
        /// The pages allow the user to deny consent, unlike those of Glewlwyd.
        case refusals
        /// The server revokes tokens of public clients (RFC 7009, section 2.1).
        case publicRevocation
        /// The server accepts loopback redirect URIs with any port (RFC 8252, section 7.3).
        case anyPort
        /// The pages work without JavaScript.
        case plainPages
        /// The server expires all access tokens on request, so that tests need not wait.
        case endOfAccessTokens
    }

    let name: String
    let issuer: String
    /// The path of the certificate of the server's authority, if it is not in the system's trust store.
    let authority: String?
    let redirectURI: String
    /// A URL that requires an access token.
    let resource: String
    /// The scopes that clients request, which include the e-mail address.
    let scopes: [String]
    let abilities: Set<Ability>
    /// The path of the PEM file with the private key that decrypts id_tokens for `jwe`.
    let decryptionKeyFile: String
    /// Signs alice in, consents, and returns the URL of the redirect to the client.
    let authorize: @Sendable (_ url: String) async throws -> String
    /// Approves a device as alice.
    let approve: @Sendable (DeviceAuthorization) async throws -> Void

    var testDescription: String { name }

    /// The servers that have been started.
    static var started: [IdentityServer] { [glewlwyd, gateway, gatewayTLS].compactMap(\.self) }

    /// Returns one of the clients that are registered at the server.
    func client(
        _ clientID: String,
        _ configure: (inout OAuthClientConfiguration) -> Void = { _ in }
    ) -> OAuthClient {
        OAuthClient(issuer: issuer, clientID: clientID) { config in
            config.scopes = scopes
            config.redirectURI = redirectURI
            config.httpClient = HttpClient.createClient { config in
                config.cookieJar = nil
                config.trust(authority)
            }
            config.authentication = clientID == "pub" ? .none : .secretBasic("s3cret-\(clientID)")
            configure(&config)
        }
    }

    /// Signs alice in with an authorization code, and returns the tokens.
    func signIn(_ client: OAuthClient) async throws -> OAuthTokens {
        let request = try await client.authorizationRequest()
        return try await client.tokens(from: authorize(request.url), for: request)
    }

    /// Returns the key that decrypts id_tokens for `jwe`.
    func decryptionKey() throws -> JsonWebKey {
        let pem = try String(contentsOfFile: decryptionKeyFile, encoding: .utf8)
        let members = try #require(SigningKey(pem: pem, algorithm: .rs256).privateJsonWebKey).members
        return JsonWebKey(members: members.filter { !["alg", "use", "key_ops", "kid"].contains($0.key) })
    }
}

extension HttpClientConfiguration {
    /// Trusts only the authority in a file, unless the path is `nil`.
    mutating func trust(_ authority: String?) {
        guard let authority else { return }
        transportConfiguration.security.trustRoots = .file(URL(fileURLWithPath: authority))
    }
}
