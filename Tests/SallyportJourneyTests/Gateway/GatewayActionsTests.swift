import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth
import SallyportTransport
import TestSupport
import Testing

/// The thirteen types of actions, each with a request to a gateway.
@Suite(.concurrencyLimited) struct GatewayActionsTests {
    /// A call, and the request that arrives at the server.
    struct Example: Sendable, CustomTestStringConvertible {
        let type: ActionType
        /// The method and the path.
        let request: String
        /// The names of the parameters in the query.
        var query: Set<String> = []
        /// The API version.
        var version = "resource=2.1, protocol=1.0"
        /// The names of the parameters of a form, or of the members of a JSON object.
        var body: Set<String> = []
        var payload: [String: JsonValue]?
        /// A Boolean value that indicates whether the header field with the token of the session is sent.
        var hasSession = false
        /// A closure that sends the request once, after alice has signed in.
        let call: @Sendable (RecordedGateway) async throws -> Void

        var testDescription: String { type.rawValue }
    }

    private static let service: [String: JsonValue] = ["tree": "Login", "type": "service"]
    private static let oauth = "/oauth2/realms/root"
    private static let push = "resource=1.0, protocol=1.0"

    static let examples = [
        Example(
            type: "START_AUTHENTICATE",
            request: "POST /json/realms/root/authenticate",
            query: ["authIndexType", "authIndexValue", "ForceAuth"],
            payload: service
        ) { _ = try await $0.journey.start(forceAuth: true) },
        Example(
            type: "RESUME_AUTHENTICATE",
            request: "POST /json/realms/root/authenticate",
            query: ["suspendedId"],
            payload: ["type": "service"]
        ) { gateway in
            var name = try node(in: await gateway.journey.start("MagicLink", forceAuth: true))
            try await RecordedGateway.alice(&name)
            #expect(try node(in: await name.next()).isSuspended)
            let link = try #require(await gateway.server.inbox.first?.link)
            _ = try session(in: await gateway.journey.resume(url: link))
        },
        Example(
            type: "AUTHENTICATE",
            request: "POST /json/realms/root/authenticate",
            body: ["authId", "callbacks", "header", "stage"],
            payload: service
        ) { try await $0.signIn(forceAuth: true) },
        Example(
            type: "AUTHORIZE",
            request: "GET \(oauth)/authorize",
            query: [
                "response_type", "client_id", "scope", "redirect_uri", "state", "nonce", "code_challenge",
                "code_challenge_method",
            ],
            hasSession: true
        ) { try await $0.journey.requestTokens() },
        Example(
            type: "EXCHANGE_TOKEN",
            request: "POST \(oauth)/access_token",
            body: ["grant_type", "code", "redirect_uri", "client_id", "code_verifier"]
        ) { try await $0.journey.requestTokens() },
        Example(
            type: "REFRESH_TOKEN",
            request: "POST \(oauth)/access_token",
            body: ["grant_type", "refresh_token", "client_id", "scope"]
        ) { gateway in
            try await gateway.journey.requestTokens()
            try await gateway.journey.oauthSession.refresh()
        },
        Example(
            type: "REVOKE_TOKEN",
            request: "POST \(oauth)/token/revoke",
            body: ["token", "token_type_hint", "client_id"]
        ) { gateway in
            let tokens = try await gateway.journey.requestTokens()
            try await gateway.journey.oauthClient.revoke(try #require(tokens.refreshToken), kind: .refreshToken)
        },
        Example(
            type: "END_SESSION",
            request: "GET \(oauth)/connect/endSession",
            query: ["client_id", "id_token_hint"]
        ) { gateway in
            let tokens = try await gateway.journey.requestTokens()
            try await gateway.journey.oauthClient.endSession(for: tokens)
        },
        Example(
            type: "LOGOUT",
            request: "POST /json/realms/root/sessions",
            query: ["_action"],
            version: "resource=3.1",
            body: ["tokenId"],
            hasSession: true
        ) { try await $0.journey.endSession() },
        Example(type: "USER_INFO", request: "GET \(oauth)/userinfo") { gateway in
            let tokens = try await gateway.journey.requestTokens()
            #expect(try await gateway.journey.oauthClient.userInfo(tokens).name == "Alice Liddell")
        },
        Example(
            type: "PUSH_REGISTER",
            request: "POST /json/push/sns/message",
            query: ["_action"],
            version: push,
            body: ["messageId", "jwt"]
        ) { try await $0.enroll() },
        Example(
            type: "PUSH_AUTHENTICATE",
            request: "POST /json/push/sns/message",
            query: ["_action"],
            version: push,
            body: ["messageId", "jwt"]
        ) { gateway in
            try await gateway.enroll()
            let waiting = try await gateway.waitForDevice()
            let (token, id) = try await gateway.deliveredMessage()
            try await gateway.push.approve(try await gateway.push.receive(token, messageID: id))
            _ = try session(in: await waiting.next())
        },
        Example(
            type: "PUSH_UPDATE",
            request: "POST /json/push/sns/message",
            query: ["_action"],
            version: push,
            body: ["mechanismUid", "jwt"]
        ) { gateway in
            try await gateway.enroll()
            try await gateway.push.update(RecordedGateway.device)
        },
    ]

    @Test(arguments: examples)
    func `An action reaches an interceptor once per call, with its payload, and its request has no token of the app`(
        _ example: Example
    ) async throws {
        try await RecordedGateway.with(Self.authorize) { gateway in
            let session = try await gateway.signIn()
            let unstamped = gateway.requests.count
            let stamp = ActionStamp()
            gateway.interceptors.register(stamp)
            try await example.call(gateway)

            #expect(stamp.count(example.type) == 1)
            let received = gateway.requests(example.type)
            #expect(received.count == 1)
            let request = try #require(received.first)
            #expect(request[ActionStamp.typeField] == [example.type.rawValue])
            let payload = try example.payload.map { [try ActionStamp.text($0)] } ?? []
            #expect(request[ActionStamp.payloadField] == payload)
            #expect("\(request.method) \(request.path)" == example.request)
            #expect(Set(request.query.keys) == example.query)
            #expect(request["accept-api-version"] == [example.version])
            #expect(request["iPlanetDirectoryPro"] == (example.hasSession ? [session.token] : []))
            #expect(try Self.bodyNames(of: request) == example.body)
            // Every other request passed the interceptor as well, and only that for the user's claims has an access token.
            #expect(gateway.requests.filter { $0[ActionStamp.typeField].isEmpty }.count == unstamped)
            let authorized = gateway.requests.filter { !$0["Authorization"].isEmpty }
            let types = authorized.flatMap { $0[ActionStamp.typeField] }
            #expect(types == (example.type == "USER_INFO" ? ["USER_INFO"] : []))
            #expect(!authorized.contains { $0["Authorization"].contains(Self.appToken) })
        }
    }

    @Test func `The requests of the app have its token, and pass no interceptor of actions`() async throws {
        try await RecordedGateway.with(Self.authorize) { gateway in
            let stamp = ActionStamp()
            gateway.interceptors.register(stamp)
            _ = try await gateway.client.request { $0.url = gateway.base + "/echo" }
            #expect(gateway.requests.map { $0["Authorization"] } == [[Self.appToken]])
            #expect(gateway.requests.map { $0[ActionStamp.typeField] } == [[]])
        }
    }

    private static let appToken = "Bearer app-token"

    /// Configures a client that sends an access token with the app's requests to the gateway.
    private static let authorize: @Sendable (inout HttpClientConfiguration, String) -> Void = { config, base in
        let client = OAuthClient(issuer: "https://id.example.com", clientID: "other")
        let record = TokenRecord(tokens: OAuthTokens(accessToken: "app-token"), client: client.identity)
        let session = OAuthSession(refresher: client, store: MemoryTokenStore(record))
        config.authentication = [.oauth(session, for: base)]
    }

    /// Returns the names of the parameters of a form, or of the members of a JSON object.
    private static func bodyNames(of request: ReceivedRequest) throws -> Set<String> {
        if request.body.isEmpty { return [] }
        guard request["Content-Type"] == ["application/json"] else {
            return Set(queryPairs(request.bodyText).keys)
        }
        return Set(try JSONDecoder().decode([String: JsonValue].self, from: Data(request.body)).keys)
    }
}
