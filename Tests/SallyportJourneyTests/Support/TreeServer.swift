import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport

@testable import SallyportJourney

/// A PingAM server without a network, whose responses each test defines.
struct TreeServer: Sendable {
    static let base = "https://am.example.com/am"
    static let realm = "/am/json/realms/root/realms/alpha"
    static let oauth = "/am/oauth2/realms/root/realms/alpha"

    let transport = MockTransport()

    /// Defines the responses to the requests of trees, in order; the last one is repeated.
    func answer(_ responses: MockResponse...) {
        let left = Locked(responses)
        transport.on(.post, Self.realm + "/authenticate") { _ in
            left.withLock { left in left.count > 1 ? left.removeFirst() : left[0] }
        }
    }

    /// Defines the responses of the authorization and token endpoints. The tokens are numbered.
    ///
    /// - Parameter users: The users of the tokens, in order; the last one is repeated. If there are none, no id_token is issued. Otherwise
    ///   the client needs ``acceptIdTokens(_:)``.
    func issueTokens(to users: String...) {
        transport.on(.get, Self.oauth + "/authorize") { request in
            let state = queryPairs(request.query ?? "")["state"] ?? ""
            return .redirect(to: "https://app.example.com/cb?code=code-1&state=\(state)")
        }
        let count = Locked(0)
        transport.on(.post, Self.oauth + "/access_token") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var idToken = ""
            if let last = users.last {
                let user = number <= users.count ? users[number - 1] : last
                idToken = #","id_token":"\#(try Self.idToken(of: user))""#
            }
            return .json(
                #"{"access_token":"access-\#(number)","token_type":"Bearer","refresh_token":"refresh-\#(number)"\#(idToken)}"#
            )
        }
        transport.on(.post, Self.oauth + "/token/revoke", .status(200))
    }

    private static let clientSecret = "a-client-secret-of-at-least-32-bytes"

    private static func idToken(of user: String) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        let claims: [String: JsonValue] = [
            "iss": "https://am.example.com/am/oauth2/realms/root/realms/alpha", "sub": .string(user), "aud": "app",
            "iat": .integer(now), "exp": .integer(now + 600),
        ]
        return try JsonWebSignature.sign(claims, sharedSecret: Data(clientSecret.utf8))
    }

    /// Configures a client that accepts the id_tokens of ``issueTokens(to:)``.
    static func acceptIdTokens(_ config: inout OAuthClientConfiguration) {
        config.authentication = .secretPost(clientSecret)
        config.idTokenAlgorithms = [.hs256]
    }

    static func settings(tree: String? = "Login", baseURL: String = base) throws -> JourneyConfiguration {
        try JourneyConfiguration(
            clientID: "app",
            redirectURI: "https://app.example.com/cb",
            scope: "profile api",
            realmPath: "alpha",
            tree: tree,
            baseURL: baseURL
        )
    }

    /// Returns a journey whose requests this server receives.
    func journey(
        sessionStore: any JourneySessionStore = MemorySessionStore(),
        tokenStore: any TokenStore = MemoryTokenStore(),
        callbackTypes: CallbackTypes = CallbackTypes(),
        clock: TimeSource = .system,
        _ configure: (inout HttpClientConfiguration) -> Void = { _ in },
        configureOAuth: (inout OAuthClientConfiguration) -> Void = { _ in }
    ) throws -> Journey {
        let client = HttpClient.createClient { config in
            config.transport = transport
            configure(&config)
        }
        return Journey(
            try Self.settings(),
            sessionStore: sessionStore,
            tokenStore: tokenStore,
            httpClient: client,
            callbackTypes: callbackTypes,
            clock: clock,
            configureOAuth: configureOAuth
        )
    }

    /// The requests to a path below the server, in order.
    func requests(_ path: String) -> [MockRequest] { transport.requests.filter { $0.path == path } }

    /// The requests of trees, in order.
    var treeRequests: [MockRequest] { requests(Self.realm + "/authenticate") }
}

extension MockResponse {
    /// Returns a node with callbacks in JSON.
    static func node(_ callbacks: String..., authID: String = "id-1") -> MockResponse {
        .json(#"{"authId":"\#(authID)","callbacks":[\#(callbacks.joined(separator: ","))]}"#)
    }

    /// Returns a success with a session token.
    static func session(_ token: String = "session-1") -> MockResponse {
        .json(#"{"tokenId":"\#(token)","successUrl":"/am/console","realm":"/alpha"}"#)
    }

    /// Returns the failure of a tree.
    static func treeFailure(_ message: String = "Login failure", status: Int = 401, detail: String = "null")
        -> MockResponse
    {
        .json(
            #"{"code":\#(status),"reason":"Unauthorized","message":"\#(message)","detail":\#(detail)}"#,
            status: status
        )
    }
}

/// Callbacks as PingAM sends them.
enum CallbackText {
    static let name =
        #"{"type":"NameCallback","output":[{"name":"prompt","value":"User Name"}],"input":[{"name":"IDToken1","value":""}],"_id":0}"#
    static let password =
        #"{"type":"PasswordCallback","output":[{"name":"prompt","value":"Password"}],"input":[{"name":"IDToken2","value":""}],"_id":1}"#
    static let text =
        #"{"type":"TextOutputCallback","output":[{"name":"message","value":"Hello"},{"name":"messageType","value":"0"}]}"#
    static let polling =
        #"{"type":"PollingWaitCallback","output":[{"name":"waitTime","value":"8000"},{"name":"message","value":"Wait"}]}"#
    static let suspended =
        #"{"type":"SuspendedTextOutputCallback","output":[{"name":"message","value":"Mail sent"},{"name":"messageType","value":"0"}]}"#

    /// Returns a callback with outputs and inputs in JSON.
    static func make(_ type: String, output: String = "", input: String = #"{"name":"IDToken1","value":""}"#) -> String
    {
        #"{"type":"\#(type)","output":[\#(output)],"input":[\#(input)]}"#
    }

    /// Returns an output in JSON.
    static func output(_ name: String, _ value: String) -> String { #"{"name":"\#(name)","value":\#(value)}"# }
}

/// Returns the node of a step.
func node(in step: JourneyStep) throws -> Node {
    guard case .node(let node) = step else { throw UnexpectedStep(step: step) }
    return node
}

/// Returns the session of a step.
func session(in step: JourneyStep) throws -> JourneySession? {
    guard case .success(let session) = step else { throw UnexpectedStep(step: step) }
    return session
}

/// Returns the failure of a step.
func failure(in step: JourneyStep) throws -> JourneyFailure {
    guard case .failure(let failure) = step else { throw UnexpectedStep(step: step) }
    return failure
}

struct UnexpectedStep: Error {
    let step: JourneyStep
}

/// Returns a typed callback from its JSON text; `nil` if it does not have the form of the type.
func callback<Type: Callback>(_ text: String) throws -> Type? {
    try RawCallback(JsonDocument(text), position: 0).flatMap { CallbackTypes().typed($0) as? Type }
}

/// Returns the parameters of a query or a form.
func queryPairs(_ text: String) -> [String: String] {
    var components = URLComponents()
    components.percentEncodedQuery = text.replacing("+", with: "%20")
    return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
}

extension JourneyError {
    /// The name of the case, which the mirror does not show.
    var kind: String {
        switch self {
        case .invalidConfiguration: "invalidConfiguration"
        case .invalidAnswer: "invalidAnswer"
        case .missingAnswer: "missingAnswer"
        case .policyViolation: "policyViolation"
        case .alreadyAnswered: "alreadyAnswered"
        case .outOfOrder: "outOfOrder"
        case .suspended: "suspended"
        case .invalidLink: "invalidLink"
        case .foreignLink: "foreignLink"
        case .foreignRelyingParty: "foreignRelyingParty"
        case .authenticator: "authenticator"
        case .handler: "handler"
        case .notSignedIn: "notSignedIn"
        case .otherServer: "otherServer"
        case .failed: "failed"
        case .invalidResponse: "invalidResponse"
        case .network: "network"
        case .oauth: "oauth"
        case .tokens: "tokens"
        case .store: "store"
        }
    }
}

extension JourneyError {
    /// The name of the case of a network error; `nil` for other errors.
    var networkKind: String? { if case .network(let error) = self { error.kind } else { nil } }

    /// The kind of the failure of a tree; `nil` for other errors.
    var failureKind: JourneyFailure.Kind? { if case .failed(let failure) = self { failure.kind } else { nil } }
}

extension JourneyError {
    /// The reason of an authenticator's error; `nil` for other errors.
    var authenticatorReason: AuthenticatorError.Reason? {
        if case .authenticator(let error) = self { error.reason } else { nil }
    }
}

extension OAuthSessionError {
    /// A Boolean value that indicates whether there are no tokens because nobody has logged in.
    var isNotLoggedIn: Bool { if case .notLoggedIn = self { true } else { false } }

    /// A Boolean value that indicates whether the server has ended the session.
    var isEnded: Bool { if case .ended = self { true } else { false } }
}
