import Foundation

/// A checked authorization request (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1).
struct GatewayAuthorizationRequest: Sendable {
    /// A value of `prompt`: a page that must be shown, or `none` to show no page.
    enum Prompt: String, Sendable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    let target: AuthorizationTarget
    let scopes: [String]
    let nonce: String?
    let challenge: String
    let prompts: Set<Prompt>
    /// The maximum number of seconds since the user signed in (`max_age`).
    let maximumAge: TimeInterval?
    /// The requested trees (`acr_values`); `nil` for any login. The user must have completed one of them.
    let trees: [String]?
    let loginHint: String?
    /// The thumbprint of the key that the tokens must be bound to (`dpop_jkt`).
    let proofKey: String?

    var client: GatewayClient { target.client }

    /// Checks the parameters of a request.
    ///
    /// - Throws: The refusal that is sent to the client.
    init(_ target: AuthorizationTarget, _ parameters: FormParameters) throws(OAuthRefusal) {
        self.target = target
        let client = target.client
        guard parameters["request"] == nil else {
            throw OAuthRefusal(.requestNotSupported, "Request objects are not supported.")
        }
        guard parameters["response_type"] == "code" else {
            throw OAuthRefusal(.unsupportedResponseType, "The response_type must be code.")
        }
        guard client.allows(.authorizationCode) else {
            throw OAuthRefusal(.unauthorizedClient, "The client is not registered for the authorization code grant.")
        }
        guard parameters["response_mode"].map({ $0 == "query" }) ?? true else {
            throw OAuthRefusal(.invalidRequest, "The response_mode must be query.")
        }
        let allowed = client.scopes(.authorizationCode)
        scopes = (parameters.words("scope") ?? allowed).uniqued
        guard scopes.allSatisfy(allowed.contains) else {
            throw OAuthRefusal(.invalidScope, "The client may not request one of the scopes.")
        }
        guard parameters["code_challenge_method"] == "S256", let challenge = parameters["code_challenge"],
            challenge.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil
        else {
            throw OAuthRefusal(.invalidRequest, "A code_challenge with the method S256 is required (RFC 7636).")
        }
        self.challenge = challenge
        nonce = parameters["nonce"]
        trees = parameters.words("acr_values")
        loginHint = parameters["login_hint"]
        proofKey = parameters["dpop_jkt"]
        guard [nonce, target.state, loginHint, proofKey].allSatisfy({ $0?.utf8.count ?? 0 <= 4096 }) else {
            throw OAuthRefusal(
                .invalidRequest,
                "The nonce, state, login_hint or dpop_jkt is longer than 4096 bytes."
            )
        }
        maximumAge = try Self.maximumAge(parameters)
        prompts = try Self.prompts(parameters)
    }

    private static func maximumAge(_ parameters: FormParameters) throws(OAuthRefusal) -> TimeInterval? {
        guard let text = parameters["max_age"] else { return nil }
        guard let age = UInt32(text) else {
            throw OAuthRefusal(.invalidRequest, "The max_age is not a number of seconds.")
        }
        return TimeInterval(age)
    }

    private static func prompts(_ parameters: FormParameters) throws(OAuthRefusal) -> Set<Prompt> {
        let words = parameters.words("prompt") ?? []
        let prompts = words.compactMap(Prompt.init)
        guard prompts.count == words.count, !prompts.contains(.none) || prompts.count == 1 else {
            throw OAuthRefusal(.invalidRequest, "The prompt must be none, or any of login, consent and select_account.")
        }
        return Set(prompts)
    }
}

/// The client that sent an authorization request, and the redirect URI that receives the response.
///
/// Browsers are redirected only after both have been checked.
struct AuthorizationTarget: Sendable {
    let client: GatewayClient
    let redirectURI: String
    let state: String?
    /// The issuer identifier in the response (RFC 9207).
    let issuer: String

    /// Creates a target from the parameters of a request.
    ///
    /// - Throws: The refusal for an unknown client or an unregistered redirect URI. The user sees it; the client does not.
    init(_ parameters: FormParameters, clients: ClientRegistry, issuer: String) throws(OAuthRefusal) {
        guard let id = parameters["client_id"], let client = clients.client(id) else {
            throw OAuthRefusal(.invalidRequest, "The app that sent you here is unknown (client_id).")
        }
        guard let uri = parameters["redirect_uri"],
            RedirectURI.matches(uri, oneOf: client.metadata.redirectURIs)
        else {
            throw OAuthRefusal(
                .invalidRequest,
                "The app \(client.name) wants to send you to an address that it has not registered (redirect_uri)."
            )
        }
        self.client = client
        redirectURI = uri
        state = parameters["state"]
        self.issuer = issuer
    }

    /// Returns the redirect URI with parameters, the state and the issuer (RFC 9207).
    func url(_ parameters: [(name: String, value: String?)]) -> String {
        RedirectURI.adding(parameters + [("state", state), ("iss", issuer)], to: redirectURI)
    }

    /// Returns the redirect URI with the error code and description of a refusal.
    func url(_ refusal: OAuthRefusal) -> String {
        url([("error", refusal.code.rawValue), ("error_description", refusal.description)])
    }
}
