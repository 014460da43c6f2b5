import Foundation
import Sallyport
import SallyportJOSE
import Testing

@testable import SallyportGateway

/// A running gateway, and a client that sends JSON to its trees.
struct JourneyClient: Sendable {
    static let version = "resource=2.1, protocol=1.0"

    let base: String
    let server: AuthorizationServer
    let clock: TestClock
    let client: HttpClient

    /// Runs a test against a gateway with the development configuration and some changes.
    static func with(
        _ configure: (inout AuthorizationServerConfiguration) throws -> Void = { _ in },
        _ test: (JourneyClient) async throws -> Void
    ) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        try configure(&configuration)
        let clock = TestClock()
        let server = try AuthorizationServer(configuration, now: { clock.now })
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
            let client = HttpClient.createClient { $0.cookieJar = nil }
            defer { client.close() }
            try await test(JourneyClient(base: address.baseURL, server: server, clock: clock, client: client))
        }
    }

    /// Runs a test against a gateway with one tree, whose name is `Test`.
    static func withTree(_ json: String, _ test: (JourneyClient) async throws -> Void) async throws {
        let trees = try JourneyTrees(json: Data("{\"Test\": \(json)}".utf8))
        try await with(
            { configuration in
                configuration.trees = trees
                configuration.stepUpTree = nil
            },
            test
        )
    }

    /// Sends a request with JSON.
    func post(_ path: String, _ body: JsonValue?, headers: [String: String]) async throws -> HttpResponse {
        let data = try body.map { try JSONEncoder().encode($0) }
        return try await client.request { request in
            request.url = base + path
            if let data {
                request.post(contentType: "application/json", body: data)
            } else {
                request.setMethod(.post)
            }
            for (name, value) in headers { request.setHeader(name: name, value: value) }
        }
    }

    /// Begins a tree.
    func start(
        _ tree: String,
        realm: String = "root",
        query: String = "",
        session: String? = nil
    ) async throws -> JourneyResponse {
        try await authenticate("?authIndexType=service&authIndexValue=\(tree)\(query)", realm: realm, session: session)
    }

    /// Sends a request to the endpoint of trees.
    func authenticate(
        _ query: String,
        realm: String = "root",
        body: JsonValue? = nil,
        session: String? = nil
    ) async throws -> JourneyResponse {
        var headers = ["accept-api-version": Self.version]
        headers["iPlanetDirectoryPro"] = session
        return try JourneyResponse(try await post("/json/realms/\(realm)/authenticate\(query)", body, headers: headers))
    }

    /// Answers a step.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - values: The values by the name of the input.
    func answer(
        _ step: JourneyResponse,
        _ values: [String: JsonValue] = [:],
        realm: String = "root"
    ) async throws -> JourneyResponse {
        try await authenticate("", realm: realm, body: step.body(values))
    }

    /// Signs alice in by the tree `Login`, and returns the token of the session.
    func signIn(realm: String = "root", session: String? = nil, query: String = "") async throws -> String {
        let step = try await start("Login", realm: realm, query: query, session: session)
        return try await answer(step, ["IDToken1": "alice", "IDToken2": "wonderland"], realm: realm).token
    }

    /// Returns the token response for a session, obtained by the client `pub` at PingAM's paths.
    func tokens(_ session: String, realm: String = "root") async throws -> [String: JsonValue] {
        let paths = "/oauth2/realms/\(realm)"
        let query = FormParameters(TestIdentity.request()).query
        let answer = try await get("\(paths)/authorize?\(query)", session: session)
        #expect(answer.status.code == 302)
        let location = try #require(answer.getHeader(name: "Location"))
        let parameters = try FormParameters(parsing: location.split(separator: "?", maxSplits: 1)[1])
        #expect(parameters["iss"] == base + paths)
        let form = [
            "grant_type": "authorization_code", "code": try #require(parameters["code"]), "client_id": "pub",
            "redirect_uri": TestIdentity.redirectURI, "code_verifier": TestIdentity.verifier,
        ]
        let response = try await client.request { request in
            request.url = base + paths + "/access_token"
            request.form(parameters: form)
        }
        return try response.decode([String: JsonValue].self)
    }

    /// Returns an access token for a session.
    func accessToken(_ session: String, realm: String = "root") async throws -> String {
        try #require(try await tokens(session, realm: realm)["access_token"]?.string)
    }

    /// Requests a URL with a session.
    func get(_ path: String, session: String? = nil, headers: [String: String] = [:]) async throws -> HttpResponse {
        try await client.request { request in
            request.url = base + path
            for (name, value) in headers { request.setHeader(name: name, value: value) }
            if let session { request.setHeader(name: "iPlanetDirectoryPro", value: session) }
        }
    }
}

/// The response of the endpoint of trees.
struct JourneyResponse: Sendable {
    let response: HttpResponse
    let members: [String: JsonValue]

    init(_ response: HttpResponse) throws {
        self.response = response
        members = try response.decode([String: JsonValue].self)
    }

    var authID: String { members["authId"]?.string ?? "" }

    /// The token of the session, if the tree has succeeded.
    var token: String {
        get throws { try #require(members["tokenId"]?.string, "\(members)") }
    }

    /// The types of the callbacks.
    var types: [String] { (members["callbacks"]?.array ?? []).compactMap { $0["type"]?.string } }

    /// Returns an output of a callback.
    func output(_ name: String, of callback: Int = 0) -> JsonValue? {
        let callbacks = members["callbacks"]?.array ?? []
        guard callbacks.indices.contains(callback) else { return nil }
        return callbacks[callback]["output"]?.array?.first { $0["name"]?.string == name }?["value"]
    }

    /// Returns the body that answers the step.
    func body(_ values: [String: JsonValue]) -> JsonValue {
        let callbacks = (members["callbacks"]?.array ?? []).map { callback -> JsonValue in
            var callback = callback.object ?? [:]
            callback["input"] = callback["input"]?.array.map { inputs in
                .array(
                    inputs.map { input in
                        let name = input["name"]?.string ?? ""
                        return ["name": .string(name), "value": values[name] ?? input["value"] ?? .null]
                    }
                )
            }
            return .object(callback)
        }
        return .object(members.merging(["callbacks": .array(callbacks)]) { $1 })
    }

    /// Expects an error response.
    func expectRefusal(
        _ code: Int,
        _ message: String,
        _ detail: [String: JsonValue] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status.code == code, "\(members)", sourceLocation: sourceLocation)
        let reason = [400: "Bad Request", 401: "Unauthorized", 415: "Unsupported Media Type"][code] ?? ""
        let expected: [String: JsonValue] = [
            "code": .integer(Int64(code)), "reason": .string(reason), "message": .string(message),
            "detail": .object(detail),
        ]
        #expect(members == expected, sourceLocation: sourceLocation)
    }
}
