import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import Testing

/// A running identity server, and how its pages are walked without a browser.
///
/// All servers have the same clients: `pub` without a secret, `conf`, and `jwe`, whose id_token is encrypted.
struct IdentityServer: Sendable, CustomTestStringConvertible {
    /// What not every server can do.
    enum Ability: Sendable {
        /// One token for another (RFC 8693).
        case tokenExchange
        /// It tells about the person only with a proof of the right key (RFC 9449); Glewlwyd 2.7.5 takes any key's.
        case proofsOfUserInfo
        /// Its pages let a person say no; Glewlwyd's only let go on or go away.
        case refusals
        /// It revokes tokens for a client that has no secret (RFC 7009, section 2.1).
        case publicRevocation
        /// It sends browsers back to any port of this computer (RFC 8252, section 7.3).
        case anyPort
        /// Its pages work without JavaScript.
        case plainPages
        /// It ends all access tokens when it is told to, as a test cannot wait for it.
        case endOfAccessTokens
    }

    let name: String
    let issuer: String
    /// The file of the authority of its certificate, if that is not a known one.
    let authority: String?
    let redirectURI: String
    /// A URL that gives an answer to those with a token only.
    let resource: String
    /// What its clients ask for, so that they learn the address of e-mail.
    let scopes: [String]
    let abilities: Set<Ability>
    /// The file of the private key that id_tokens for `jwe` are encrypted to, in PEM.
    let decryptionKeyFile: String
    /// Signs alice in, lets her agree, and gives the URL that her browser would be sent back to.
    let authorize: @Sendable (_ url: String) async throws -> String
    /// Lets alice approve a device.
    let approve: @Sendable (DeviceAuthorization) async throws -> Void

    var testDescription: String { name }

    /// The ones that have been started.
    static var started: [IdentityServer] { [glewlwyd, gateway, gatewayTLS].compactMap(\.self) }

    /// One of the clients that the server knows.
    func client(
        _ clientID: String,
        _ configure: (inout OAuthClientConfiguration) -> Void = { _ in }
    ) -> OAuthClient {
        OAuthClient(issuer: issuer, clientID: clientID) { config in
            config.scopes = scopes
            config.redirectURI = redirectURI
            config.httpClient = .createClient { config in
                config.cookieJar = nil
                config.trust(authority)
            }
            config.authentication = clientID == "pub" ? .none : .secretBasic("s3cret-\(clientID)")
            configure(&config)
        }
    }

    /// Tokens of a sign-in by code.
    func signIn(_ client: OAuthClient) async throws -> OAuthTokens {
        let request = try await client.authorizationRequest()
        return try await client.tokens(from: authorize(request.url), for: request)
    }

    /// The key that decrypts id_tokens for `jwe`.
    func decryptionKey() throws -> JsonWebKey {
        let pem = try String(contentsOfFile: decryptionKeyFile, encoding: .utf8)
        let members = try SigningKey(pem: pem, algorithm: .rs256).privateJsonWebKey.members
        return JsonWebKey(members: members.filter { !["alg", "use", "key_ops", "kid"].contains($0.key) })
    }
}

extension HttpClientConfiguration {
    /// Trusts the authority in a file, and no others, if there is a file.
    mutating func trust(_ authority: String?) {
        guard let authority else { return }
        transportConfiguration.security.trustRoots = .file(URL(fileURLWithPath: authority))
    }
}
