import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import SallyportJOSE
import Testing

@testable import SallyportGateway

/// An authorization server behind the gateway's router, with a clock that tests control.
struct TestIdentity: Sendable {
    static let redirectURI = "http://127.0.0.1:8765/cb"
    static let verifier = "a-verifier-of-at-least-forty-three-characters-0123"

    let server: AuthorizationServer
    let client: RouterClient
    let clock: TestClock

    /// Runs a test against the development server with a fast signature algorithm.
    static func with(_ test: @Sendable @escaping (TestIdentity) async throws -> Void) async throws {
        try await with({ _ in }, test)
    }

    /// Runs a test against the development server with changes to its configuration.
    static func with(
        _ configure: (inout AuthorizationServerConfiguration) throws -> Void,
        _ test: @Sendable @escaping (TestIdentity) async throws -> Void
    ) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        try configure(&configuration)
        let clock = TestClock()
        let server = try AuthorizationServer(configuration, now: { clock.now })
        let router = Router.gateway(
            routeGroups: RouteGroups.all + server.routeGroups,
            GatewayConfiguration(authorizationServer: server)
        )
        try await test(TestIdentity(server: server, client: RouterClient(router), clock: clock))
    }

    static var challenge: String {
        Base64Url.encode(Data(SHA256.hash(data: Data(verifier.utf8))))
    }

    /// Returns the parameters of a valid authorization request.
    static func request(_ changes: [String: String?] = [:]) -> [String: String] {
        var parameters: [String: String] = [
            "client_id": "pub", "redirect_uri": redirectURI, "response_type": "code", "scope": "openid profile api",
            "state": "a state", "nonce": "a-nonce", "code_challenge": challenge, "code_challenge_method": "S256",
        ]
        for (name, value) in changes { parameters[name] = value }
        return parameters
    }

    /// Posts a form.
    func post(
        _ path: String,
        _ form: [String: String],
        basic: String? = nil,
        proof: String? = nil,
        authorization: String? = nil
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        if let basic { headers[.authorization] = "Basic \(Data(basic.utf8).base64EncodedString())" }
        if let authorization { headers[.authorization] = authorization }
        if let proof { headers[HTTPField.Name("DPoP")!] = proof }
        let body = ByteBuffer(string: FormParameters(form).query)
        return try await client.execute(uri: path, method: .post, headers: headers, body: body)
    }

    /// Requests a resource.
    func get(_ path: String, authorization: String?, proof: String? = nil) async throws -> TestResponse {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        if let proof { headers[HTTPField.Name("DPoP")!] = proof }
        return try await client.execute(uri: path, method: .get, headers: headers)
    }

    /// Signs alice in with a new browser, and returns the code.
    func code(_ changes: [String: String?] = [:]) async throws -> String {
        let browser = TestBrowser(self)
        let answer = try await browser.signIn(Self.request(changes))
        return try #require(answer["code"])
    }

    /// Redeems a code, by default as the client `pub`.
    func redeem(
        _ code: String,
        _ changes: [String: String?] = [:],
        basic: String? = nil,
        proof: String? = nil
    ) async throws -> TestResponse {
        var form: [String: String] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.redirectURI,
            "code_verifier": Self.verifier,
        ]
        if basic == nil { form["client_id"] = "pub" }
        for (name, value) in changes { form[name] = value }
        return try await post("/token", form, basic: basic, proof: proof)
    }

    /// Returns tokens of alice for the client `pub`.
    func tokens(_ changes: [String: String?] = [:], proof: String? = nil) async throws -> TestTokens {
        let response = try await redeem(try await code(changes), proof: proof)
        return try TestTokens(response)
    }

    func refresh(_ token: String, _ changes: [String: String] = [:], proof: String? = nil) async throws -> TestResponse
    {
        let form = ["grant_type": "refresh_token", "refresh_token": token, "client_id": "pub"]
        return try await post("/token", form.merging(changes) { $1 }, proof: proof)
    }
}

/// A clock that advances only when a test advances it.
final class TestClock: Sendable {
    private let box = NIOLockedValueBox(Date(timeIntervalSince1970: 1_800_000_000))
    var now: Date { box.withLockedValue { $0 } }
    func advance(_ seconds: TimeInterval) { box.withLockedValue { $0 += seconds } }
}

/// A token response.
struct TestTokens {
    let members: [String: JsonValue]
    var access: String { members["access_token"]?.string ?? "" }
    var refresh: String { members["refresh_token"]?.string ?? "" }
    var id: String { members["id_token"]?.string ?? "" }

    init(_ response: TestResponse) throws {
        #expect(response.status == .ok, "\(response.text)")
        #expect(response.headers[.cacheControl] == "no-store")
        members = try response.decode([String: JsonValue].self)
    }
}

extension TestResponse {
    /// The `error` of an error response.
    var refusal: String? { (try? decode([String: JsonValue].self))?["error"]?.string }
    var members: [String: JsonValue] { (try? decode([String: JsonValue].self)) ?? [:] }
}

/// A headless browser that stores one cookie, and sends forms with their hidden fields.
final class TestBrowser {
    private let identity: TestIdentity
    var cookie: String?

    init(_ identity: TestIdentity) {
        self.identity = identity
    }

    func get(_ path: String) async throws -> TestResponse {
        try await keepCookie(
            try await identity.client.execute(uri: path, method: .get, headers: headers)
        )
    }

    func authorize(_ parameters: [String: String]) async throws -> TestResponse {
        try await get("/authorize?\(FormParameters(parameters).query)")
    }

    /// Sends the form of a page.
    func answer(_ page: TestResponse, _ fields: [String: String]) async throws -> TestResponse {
        let form = try #require(page.form, "\(page.status) \(page.text)")
        var headers = headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        let body = ByteBuffer(string: FormParameters(form.hidden.merging(fields) { $1 }).query)
        return try await keepCookie(
            try await identity.client.execute(uri: form.action, method: .post, headers: headers, body: body)
        )
    }

    /// Signs in and answers the consent page, and returns the parameters of the redirect to the client.
    func signIn(_ parameters: [String: String], decision: String = "allow") async throws -> FormParameters {
        var response = try await authorize(parameters)
        if response.form?.action == "/authorize/login" {
            response = try await answer(response, ["username": "alice", "password": "wonderland"])
        }
        if response.form?.action == "/authorize/consent" {
            response = try await answer(response, ["decision": decision])
        }
        return try response.sentBack
    }

    private var headers: HTTPFields {
        var headers = HTTPFields()
        headers[.cookie] = cookie
        return headers
    }

    private func keepCookie(_ response: TestResponse) async throws -> TestResponse {
        if let set = response.headers[.setCookie] { cookie = String(set.prefix { $0 != ";" }) }
        return response
    }
}

/// Returns the action of a page's form and its hidden fields.
func scrapedForm(_ html: String) -> (action: String, hidden: [String: String])? {
    guard let action = html.firstMatch(of: /<form method="post" action="([^"]*)">/) else { return nil }
    let hidden = html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
    return (String(action.1), Dictionary(hidden.map { (String($0.1), String($0.2)) }) { $1 })
}

extension TestResponse {
    /// The action of the page's form and its hidden fields.
    var form: (action: String, hidden: [String: String])? { scrapedForm(text) }

    /// The parameters of the redirect to the client.
    var sentBack: FormParameters {
        get throws {
            let location = try #require(headers[.location], "\(status) \(text)")
            #expect(status == .seeOther)
            #expect(location.hasPrefix("http://127.0.0.1:8765/cb?"))
            return try FormParameters(parsing: location.split(separator: "?", maxSplits: 1)[1])
        }
    }
}
