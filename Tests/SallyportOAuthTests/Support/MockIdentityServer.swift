import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTesting

/// An identity server without a network, whose responses each test defines.
struct MockIdentityServer: Sendable {
    static let issuer = "https://id.example.com/tenant"
    static let key = Result { try SigningKey.generate(.es256, keyID: "k1") }
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    let transport = MockTransport()

    /// - Parameter metadata: Members that are added to the metadata; `null` removes a member.
    init(_ metadata: [String: JsonValue] = [:]) throws {
        var members: [String: JsonValue] = [
            "issuer": .string(Self.issuer), "id_token_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"], "authorization_endpoint": "https://id.example.com/authorize",
            "jwks_uri": "https://id.example.com/keys",
        ]
        for name in ["token", "userinfo", "revocation", "introspection", "registration", "end_session"] {
            members["\(name)_endpoint"] = .string("https://id.example.com/\(name)")
        }
        members["device_authorization_endpoint"] = "https://id.example.com/device"
        for (name, value) in metadata { members[name] = value == .null ? nil : value }
        transport.on(.get, "/tenant/.well-known/openid-configuration", .json(try Self.text(members)))
        publish([try Self.key.get()])
    }

    func publish(_ keys: [SigningKey]) {
        let keys = keys.compactMap { $0.publicJsonWebKey.map { .object($0.members) } as JsonValue? }
        transport.on(.get, "/keys", .json((try? Self.text(["keys": .array(keys)])) ?? ""))
    }

    /// Returns a client whose clock does not advance.
    func client(_ configure: (inout OAuthClientConfiguration) -> Void = { _ in }) -> OAuthClient {
        OAuthClient(issuer: Self.issuer, clientID: "app") { config in
            config.scopes = ["openid", "api"]
            config.redirectURI = "http://127.0.0.1:8765/cb"
            config.httpClient = HttpClient.createClient { $0.transport = transport }
            config.clock = .immediate { Self.now }
            configure(&config)
        }
    }

    /// Sets the responses of the token endpoint, in order; the last one is repeated.
    func answerTokens(_ answers: MockResponse...) {
        let next = Locked(0)
        transport.on(.post, "/token") { _ in
            let index = next.withLock { count in
                defer { count += 1 }
                return count
            }
            return answers[min(index, answers.count - 1)]
        }
    }

    /// Sets a response of the token endpoint with an id_token.
    func answerTokens(idToken claims: [String: JsonValue], refreshToken: String? = "refresh-1") async throws {
        let idToken = try await self.idToken(claims)
        answerTokens(
            .tokens(["id_token": .string(idToken), "refresh_token": refreshToken.map(JsonValue.string) ?? .null])
        )
    }

    func idToken(_ claims: [String: JsonValue] = [:], key: SigningKey? = nil) async throws -> String {
        let now = Int64(Self.now.timeIntervalSince1970)
        var all: [String: JsonValue] = [
            "iss": .string(Self.issuer), "aud": "app", "sub": "alice", "iat": .integer(now), "exp": .integer(now + 300),
        ]
        for (name, value) in claims { all[name] = value == .null ? nil : value }
        return try JsonWebSignature.sign(all, with: key ?? Self.key.get())
    }

    /// Returns the forms that were posted to a path, in order.
    func forms(_ path: String) -> [[String: String]] {
        transport.requests.filter { $0.method == .post && $0.path == path }.map(\.form)
    }

    func count(_ path: String) -> Int { transport.requests.count { $0.path == path } }

    static func text(_ value: [String: JsonValue]) throws -> String {
        String(decoding: try JSONEncoder.ordered.encode(value), as: UTF8.self)
    }
}

extension TimeSource {
    /// Returns a time source with the date of a test, whose sleeps end at once.
    static func immediate(
        date: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) -> TimeSource {
        TimeSource(now: { .zero }, date: date, sleep: sleep)
    }
}

extension MockResponse {
    /// Returns a successful response of a token endpoint.
    static func tokens(_ members: [String: JsonValue] = [:]) -> MockResponse {
        var all: [String: JsonValue] = ["access_token": "access-1", "token_type": "Bearer", "expires_in": 60]
        for (name, value) in members { all[name] = value == .null ? nil : value }
        return .json((try? MockIdentityServer.text(all)) ?? "")
    }

    /// Returns a response with a body of any type.
    static func content(_ body: String, _ type: String, status: Int = 200) -> MockResponse {
        MockResponse(status: HttpStatus(code: status), headers: [.contentType: type], body: Data(body.utf8))
    }

    static func refusal(_ error: String, _ description: String? = nil, status: Int = 400) -> MockResponse {
        var members: [String: JsonValue] = ["error": .string(error)]
        members["error_description"] = description.map(JsonValue.string)
        return .json((try? MockIdentityServer.text(members)) ?? "", status: status)
    }
}

extension MockRequest {
    /// The fields of a form.
    var form: [String: String] { queryPairs(text) }
}

/// Returns the parameters of a query or a form.
func queryPairs(_ text: String) -> [String: String] {
    var components = URLComponents()
    components.percentEncodedQuery = text.replacing("+", with: "%20")
    return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
}

extension AuthorizationRequest {
    /// The parameters of the URL.
    var parameters: [String: String] { queryPairs(url.split(separator: "?", maxSplits: 1).last.map(String.init) ?? "") }

    /// Returns the URL of a callback to the redirect URI.
    func callback(_ parameters: String = "code=code-1") -> String { "\(redirectURI)?\(parameters)&state=\(state)" }
}

/// Returns the error that a closure throws.
///
/// - Throws: Any error that is not an ``OAuthError``, and ``NothingThrown`` if there is none.
func oauthError(_ body: () async throws -> Void) async throws -> OAuthError {
    do {
        try await body()
    } catch let error as OAuthError {
        return error
    }
    throw NothingThrown()
}

struct NothingThrown: Error {}
