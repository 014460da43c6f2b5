import Foundation
import SallyportJOSE

/// Who can sign in at the gateway, which clients it knows, and how it deals with them.
public struct AuthorizationServerConfiguration: Sendable {
    /// Who can sign in.
    public var users: [GatewayUser]
    /// Which clients it knows.
    public var clients: [GatewayClient]
    /// How long what it gives is good for.
    public var lifetimes = GatewayLifetimes()
    /// The address that it has in tokens; `nil` for that which the gateway listens on.
    public var issuer: String?
    /// How it signs; the first is used where a client does not say.
    public var signatureAlgorithms: [SignatureAlgorithm] = [.es256, .rs256]
    /// A Boolean value that indicates whether a refresh token can be used only once. A second use ends its grant, unless it
    /// comes within ``GatewayLifetimes/refreshTokenReuse``.
    public var rotatesRefreshTokens = true
    /// Whether proofs have to hold a nonce of the server (RFC 9449, section 8).
    public var demandsProofNonces = false
    /// Whether anybody may register a client (RFC 7591), for a day: for development only.
    public var allowsRegistration = false
    /// The scopes that clients can register themselves for: by default those about a user, without access to the API.
    public var registrationScopes = ["openid", "profile", "email", "offline_access"]
    /// Whether there are calls that rotate keys and end tokens at once: for development only.
    public var allowsDevelopmentCalls = false

    /// Makes a configuration.
    public init(users: [GatewayUser], clients: [GatewayClient]) {
        self.users = users
        self.clients = clients
    }

    /// The scopes that at least one client may request.
    var knownScopes: [String] {
        (["openid", "profile", "email", "offline_access", "api"] + registrationScopes + clients.flatMap(\.scopes))
            .uniqued
    }
}
