import Foundation

/// What a client asks of somebody by a browser (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1), once it has been checked.
struct GatewayAuthorizationRequest: Sendable {
    /// What the client wants to be shown, or not to be.
    enum Prompt: String, Sendable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    let target: AuthorizationTarget
    let scopes: [String]
    let nonce: String?
    let challenge: String
    let prompts: Set<Prompt>
    /// The maximum number of seconds since the user has signed in (`max_age`).
    let maximumAge: TimeInterval?
    let loginHint: String?
    /// The key that the tokens have to be bound to.
    let proofKey: String?

    var client: GatewayClient { target.client }

    /// - Throws: What the client is told.
    init(_ target: AuthorizationTarget, _ parameters: FormParameters) throws(OAuthRefusal) {
        self.target = target
        let client = target.client
        guard parameters["request"] == nil else {
            throw OAuthRefusal(.requestNotSupported, "Requests in the form of a token are not read.")
        }
        guard parameters["response_type"] == "code" else {
            throw OAuthRefusal(.unsupportedResponseType, "The response_type has to be code.")
        }
        guard client.allows(.authorizationCode) else {
            throw OAuthRefusal(.unauthorizedClient, "The client is not registered for the authorization code.")
        }
        guard parameters["response_mode"].map({ $0 == "query" }) ?? true else {
            throw OAuthRefusal(.invalidRequest, "The response_mode has to be query.")
        }
        scopes = (parameters.words("scope") ?? client.scopes).uniqued
        guard scopes.allSatisfy(client.scopes.contains) else {
            throw OAuthRefusal(.invalidScope, "The client may not ask for one of the scopes.")
        }
        guard parameters["code_challenge_method"] == "S256", let challenge = parameters["code_challenge"],
            challenge.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) != nil
        else {
            throw OAuthRefusal(.invalidRequest, "A code_challenge by S256 is needed (RFC 7636).")
        }
        self.challenge = challenge
        nonce = parameters["nonce"]
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
            throw OAuthRefusal(.invalidRequest, "The prompt is none alone, or of login, consent and select_account.")
        }
        return Set(prompts)
    }
}

/// Where the answer to a request goes. Until both are known to be right, nobody is sent anywhere.
struct AuthorizationTarget: Sendable {
    let client: GatewayClient
    let redirectURI: String
    let state: String?

    /// The address that takes an answer to the client, with who gives it (RFC 9207).
    func address(_ parameters: [(name: String, value: String?)], issuer: String) -> String {
        RedirectURI.adding(parameters + [("state", state), ("iss", issuer)], to: redirectURI)
    }

    /// The address that takes a refusal to the client.
    func address(_ refusal: OAuthRefusal, issuer: String) -> String {
        address([("error", refusal.code.rawValue), ("error_description", refusal.description)], issuer: issuer)
    }
}

/// An authorization request that waits for an answer of its user.
struct AuthorizationTransaction: Sendable {
    let request: GatewayAuthorizationRequest
    /// The pushed request that it came from, which can be used once.
    let pushed: SecretHash?
    /// The id of the session that was started by a login during this transaction.
    var signedInSession: String?
    /// The id of the session whose user has been shown the consent page; `nil` until the transaction needs consent.
    var consentingSession: String?
}

/// A request that a client has sent itself (RFC 9126).
struct PushedRequest: Sendable {
    let clientID: String
    let parameters: FormParameters
}

/// The user and the client of a consent that is remembered.
struct ConsentKey: Hashable, Sendable {
    let username: String
    let clientID: String
}
