import ClientTestSupport
import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth
import SallyportStorage
import TestSupport
import Testing

@testable import SallyportGateway

/// A gateway behind a proxy that records the requests, and a user of it with a journey and a device for push messages.
struct RecordedGateway: Sendable {
    /// The URL of the proxy, to which the links and push endpoints of the gateway lead as well.
    let base: String
    let server: AuthorizationServer
    /// The client of the app, with which the journey and the device send their requests.
    let client: HttpClient
    /// Interceptors of the client that a test can replace.
    let interceptors: ActionInterceptors
    let journey: Journey
    let push: PushClient
    private let recorder: ScriptedServer
    private let lead: Locked<TimeInterval>

    static let device = PushDevice(token: "device-token", name: "laptop", type: "ios", communicationType: "apns")

    /// Runs a test against a gateway with the development configuration.
    ///
    /// - Parameters:
    ///   - trees: Trees in JSON that replace those of the development configuration. A tree named `StepUp` is that for step-ups.
    ///   - configure: A closure that changes the settings of the client, and receives the URL of the proxy.
    ///   - test: The test.
    static func with(
        trees: String? = nil,
        _ configure: @escaping @Sendable (inout HttpClientConfiguration, String) -> Void = { _, _ in },
        _ test: @escaping @Sendable (RecordedGateway) async throws -> Void
    ) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        if let trees {
            configuration.trees = try JourneyTrees(json: Data(trees.utf8))
            configuration.stepUpTree = configuration.trees.names.first { $0 == "StepUp" }
        }
        let lead = Locked(TimeInterval(0))
        let server = try AuthorizationServer(configuration, now: { Date() + lead.withLock { $0 } })
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
            try await withScriptedServer([[.tunnel(toPort: gateway.port)]]) { recorder in
                let base = "http://\(recorder.authority)"
                await server.serve(at: base)
                let interceptors = ActionInterceptors()
                let client = HttpClient.createClient { config in
                    configure(&config, base)
                    config.addInterceptor(interceptors)
                }
                defer { client.close() }
                let settings = try JourneyConfiguration(
                    clientID: "pub",
                    redirectURI: "http://127.0.0.1/cb",
                    scope: "openid profile api",
                    tree: "Login",
                    baseURL: base
                )
                let gateway = RecordedGateway(
                    base: base,
                    server: server,
                    client: client,
                    interceptors: interceptors,
                    journey: Journey(settings, httpClient: client) { $0.idTokenAlgorithms = [.es256] },
                    push: PushClient(store: MemoryMechanismStore(), owner: "alice", httpClient: client),
                    recorder: recorder,
                    lead: lead
                )
                try await test(gateway)
            }
        }
    }

    /// Sets the clock of the server forward, by seconds.
    func advance(by seconds: TimeInterval) { lead.withLock { $0 += seconds } }

    // MARK: Requests

    /// The requests that arrived at the server, in order.
    var requests: [ReceivedRequest] { recorder.requests }

    /// The requests of trees that arrived at the server, in order.
    var treeRequests: [ReceivedRequest] { requests.filter { $0.path.hasSuffix("/authenticate") } }

    /// The requests that an ``ActionStamp`` marked with a type.
    func requests(_ type: ActionType) -> [ReceivedRequest] {
        requests.filter { $0[ActionStamp.typeField].first == type.rawValue }
    }

    // MARK: Sign-ins

    /// Answers the nodes of the development trees with the name and the password of alice, and the first choice.
    static let alice: NodeHandler = { node in
        node[NameCallback.self]?.name = "alice"
        node[PasswordCallback.self]?.password = "wonderland"
        try node[ChoiceCallback.self]?.select(0)
        try node[ConfirmationCallback.self]?.select(0)
    }

    /// Signs alice in with the tree `Login`.
    @discardableResult
    func signIn(forceAuth: Bool = false) async throws -> JourneySession {
        try #require(try await journey.start(forceAuth: forceAuth).complete(answering: Self.alice))
    }

    /// Returns the journey of another user, who has no session.
    func otherJourney() -> Journey { Journey(journey.configuration, httpClient: client) }

    /// Expects that a session is stored, and that the server still accepts it: it ends the tree of the session at once.
    func expectSession(_ expected: JourneySession, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await journey.session() == expected, sourceLocation: sourceLocation)
        let step = try await journey.start()
        #expect(try session(in: step)?.token == expected.token, sourceLocation: sourceLocation)
    }

    // MARK: Push

    /// Answers the tree `LoginWithPush` until it waits for the device.
    func waitForDevice() async throws -> Node {
        var page = try node(in: await journey.start("LoginWithPush", forceAuth: true))
        try await Self.alice(&page)
        var choices = try node(in: await page.next())
        try await Self.alice(&choices)
        return try node(in: await choices.next())
    }

    /// Enrolls the device with the URI that the tree shows.
    func enroll() async throws {
        let offer = try await waitForDevice()
        let uri = try #require(offer[HiddenValueCallback.self]?.initialValue)
        try await push.enroll(uri, device: Self.device)
    }

    /// Returns the first message for the device.
    func deliveredMessage() async throws -> (token: String, id: String) {
        let message = try #require(await server.pushMessages(for: Self.device.token).first)
        return (message.message, message.messageId)
    }
}

extension ReceivedRequest {
    /// The path of the target.
    var path: String { String(target.prefix { $0 != "?" }) }

    /// The parameters in the query of the target.
    var query: [String: String] { queryPairs(String(target.drop { $0 != "?" }.dropFirst())) }

    /// The values of the cookies by their names.
    var cookies: [String: String] {
        let pairs = self["Cookie"].flatMap { $0.split(separator: ";") }.map { pair in
            let parts = pair.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }
}

/// Adds the action of each request to its header fields, so that it arrives at the server, and counts its calls.
final class ActionStamp: ActionInterceptor {
    static let typeField = "X-Action"
    static let payloadField = "X-Action-Payload"

    private let counts = Locked<[ActionType: Int]>([:])

    /// Returns the number of calls for a type.
    func count(_ type: ActionType) -> Int { counts.withLock { $0[type] ?? 0 } }

    func intercept(request: HttpRequest, action: Action) throws -> HttpRequest {
        counts.withLock { $0[action.type, default: 0] += 1 }
        var request = request
        request.addHeader(name: Self.typeField, value: action.type.rawValue)
        if let payload = action.payload {
            request.addHeader(name: Self.payloadField, value: try Self.text(payload))
        }
        return request
    }

    /// Returns a payload as JSON with sorted names.
    static func text(_ payload: [String: JsonValue]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(payload), as: UTF8.self)
    }
}
