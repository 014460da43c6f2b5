import Crypto
import Foundation
import SallyportJOSE
import TestSupport
import Testing

/// Logins at servers that deviate from the standards, as servers in use do.
@Suite(.concurrencyLimited) struct DeviatingServerTests {
    /// An OpenID provider for the flow of devices, whose responses each test defines. The responses are JSON unless they begin with `<`.
    private struct Provider: Sendable {
        var issuer = "BASE"
        var status = 200
        var device = #"""
            {"device_code": "d", "user_code": "ABCD", "verification_uri": "BASE/go", "expires_in": 60, "interval": 1}
            """#
        var tokens = #"{"access_token": "at", "token_type": "Bearer", "expires_in": 3600}"#
        var keys = "{}"

        /// Runs a closure with the server and the arguments of a login.
        func run(_ body: (AnsweringServer, _ login: [String], [String: String]) async throws -> Void) async throws {
            try await withTemporaryDirectory { home in
                let provider = self
                try await AnsweringServer.run { request, base in
                    provider.response(to: request, base)
                } _: { server in
                    let login = ["login", "--issuer", server.baseURL, "--client-id", "cli", "--flow", "device"]
                    try await body(server, login + ["--timeout", "30"], Tool.environment(home: home))
                }
            }
        }

        /// Signs in, and returns the outcome.
        func login(_ more: String...) async throws -> Tool.Outcome {
            var outcome: Tool.Outcome?
            try await run { _, login, environment in
                outcome = try await Tool.run(login + more, environment: environment)
            }
            return try #require(outcome)
        }

        private func response(to request: ReceivedRequest, _ base: String) -> [UInt8] {
            let path = request.target.prefix { $0 != "?" }
            var (status, text) = (200, "{}")
            if path.hasSuffix("/.well-known/openid-configuration") {
                text = """
                    {"issuer": "\(issuer)", "token_endpoint": "BASE/token", "device_authorization_endpoint": "BASE/device",
                    "jwks_uri": "BASE/keys", "id_token_signing_alg_values_supported": ["ES256"]}
                    """
            } else if path == "/device" {
                text = device
            } else if path == "/token" {
                (status, text) = (self.status, tokens)
            } else {
                text = keys
            }
            let type = text.hasPrefix("<") ? "text/html" : "application/json"
            return AnsweringServer.response(status, text.replacing("BASE", with: base), type: type)
        }
    }

    private static func tokens(_ members: String) -> String {
        #"{"access_token": "at", "token_type": "Bearer", "expires_in": 3600, \#(members)}"#
    }

    @Test(arguments: ["null", "\"\"", "false", "0"])
    func `Tokens beside an error without content are accepted`(error: String) async throws {
        var provider = Provider()
        provider.tokens = Self.tokens(#""error": \#(error), "error_description": null, "scope": null"#)
        provider.device = provider.device.replacing("{", with: #"{"error": null, "#)
        let outcome = try await provider.login()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("Signed in at http://127.0.0.1:"))
    }

    @Test func `The lifetime of a device code can be a string`() async throws {
        var provider = Provider()
        provider.device = provider.device.replacing("60", with: "\"1\"").replacing(": 1}", with: ": \"1\"}")
        (provider.status, provider.tokens) = (400, #"{"error": "authorization_pending"}"#)
        let outcome = try await provider.login()
        #expect(outcome.status == 67)
        #expect(outcome.errors.contains("the device was not approved in time"), "\(outcome.errors)")
    }

    @Test func `An error with the status 200 in the response for devices is shown`() async throws {
        var provider = Provider()
        provider.device = #"{"error": "device_flow_disabled", "error_description": "Enable it for this app"}"#
        let outcome = try await provider.login()
        #expect(outcome.status == 67)
        let end =
            #"the server refused the request for device codes (device_flow_disabled, "Enable it for this app", status 200)"#
        #expect(outcome.errors.hasSuffix(end + "\n"), "\(outcome.errors)")
    }

    @Test(
        arguments: [
            (
                "<html><h1>Bad Request</h1><p>redirect_uri is not registered.</p></html>",
                "Bad Request redirect_uri is not registered."
            ),
            (#"{"error": {"code": 403, "message": "The caller has no permission"}}"#, "The caller has no permission"),
            (#"{"message": "Missing\u001b[31m parameters", "code": 1234}"#, "Missing\\u{1B}[31m parameters"),
        ]
    )
    func `What a refusal says is shown by login`(body: String, message: String) async throws {
        var provider = Provider()
        (provider.status, provider.tokens) = (400, body)
        let outcome = try await provider.login()
        #expect(outcome.status == 67)
        let end = "the server refused the request for tokens (\"\(message)\", status 400)\n"
        #expect(outcome.errors.hasSuffix(end), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("\"BearerToken\"", "BearerToken", "--token-type and this type"), ("null", "none", "--token-type none"),
    ])
    func `Another token type or none is refused with the option that accepts it, which the profile stores`(
        type: String,
        option: String,
        advice: String
    ) async throws {
        var provider = Provider()
        provider.tokens = #"{"access_token": "at", "token_type": \#(type), "refresh_token": "rt"}"#
        try await provider.run { _, login, environment in
            let refused = try await Tool.run(login, environment: environment)
            #expect(refused.status == 67)
            #expect(refused.errors.contains(advice), "\(refused.errors)")
            #expect(!refused.errors.contains("TokenType"))
            #expect(option == "none" || refused.errors.contains("is \"\(option)\", which was not requested"))
            let accepted = try await Tool.run(login + ["--token-type", option], environment: environment)
            #expect(accepted.status == 0, "\(accepted.errors)")
            #expect(try await Tool.run(["refresh"], environment: environment).status == 0)
        }
    }

    // MARK: id_tokens

    /// Returns tokens with an id_token, and the key set of the server.
    private func signed(
        _ claims: [String: JsonValue],
        server base: String,
        key: SigningKey
    ) async throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        let all: [String: JsonValue] = [
            "iss": .string(base), "aud": "cli", "sub": "ada", "iat": .integer(now), "exp": .integer(now + 600),
        ]
        let idToken = try JsonWebSignature.sign(all.merging(claims) { $1 }, with: key)
        return Self.tokens(#""id_token": "\#(idToken)""#)
    }

    /// Signs in with an id_token, whose issuer is known only when the server runs.
    private func login(
        _ claims: @escaping @Sendable (_ base: String) -> [String: JsonValue] = { _ in [:] },
        issuer: String = "BASE",
        keys: (_ key: [String: JsonValue]) throws -> String,
        _ body: ([String], [String: String], _ base: String) async throws -> Void
    ) async throws {
        let key = try SigningKey.generate(.es256, keyID: "a")
        let keys = try keys(#require(key.publicJsonWebKey).members)
        let tokens = Watched("")
        try await withTemporaryDirectory { home in
            try await AnsweringServer.run { request, base in
                if request.target == "/token" { return AnsweringServer.response(200, tokens.value) }
                if request.target == "/keys" { return AnsweringServer.response(200, keys) }
                let text =
                    request.target == "/device"
                    ? Provider().device
                    : """
                    {"issuer": "\(issuer)", "token_endpoint": "BASE/token", "device_authorization_endpoint": "BASE/device",
                    "jwks_uri": "BASE/keys", "id_token_signing_alg_values_supported": ["ES256"]}
                    """
                return AnsweringServer.response(200, text.replacing("BASE", with: base))
            } _: { server in
                let base = server.baseURL
                let text = try await signed(claims(base), server: base, key: key)
                tokens.update { $0 = text }
                let login = [
                    "login", "--issuer", base, "--client-id", "cli", "--flow", "device", "--timeout", "30",
                ]
                try await body(login, Tool.environment(home: home), base)
            }
        }
    }

    private static func keySet(_ keys: [String: JsonValue]...) throws -> String {
        let set: [String: JsonValue] = ["keys": .array(keys.map(JsonValue.object))]
        return String(decoding: try JSONEncoder().encode(set), as: UTF8.self)
    }

    @Test(arguments: ["byte order mark", "same identifier", "padded", "other alphabet"])
    func `Deviating key sets are accepted, or refused with the reason`(deviation: String) async throws {
        try await login { key in
            switch deviation {
            case "byte order mark": return "\u{FEFF}" + (try Self.keySet(key))
            case "same identifier":
                let other = try #require(SigningKey.generate(.es256, keyID: "a").publicJsonWebKey).members
                return try Self.keySet(other, key)
            default:
                let x =
                    deviation == "padded" ? "\(key["x"]?.string ?? "")=" : "+/\(key["x"]?.string?.dropFirst(2) ?? "")"
                return try Self.keySet(key.merging(["x": .string(x)]) { $1 })
            }
        } _: { login, environment, _ in
            let outcome = try await Tool.run(login, environment: environment)
            switch deviation {
            case "padded": #expect(outcome.errors.contains("The key's x is padded (=)"), "\(outcome.errors)")
            case "other alphabet": #expect(outcome.errors.contains("alphabet of base64 (+ and /)"), "\(outcome.errors)")
            default: #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }
    }

    @Test func `A clock that differs needs --clock-skew`() async throws {
        let claims: @Sendable (String) -> [String: JsonValue] = { _ in
            [
                "iat": .integer(Int64(Date().timeIntervalSince1970) + 3600),
                "exp": .integer(Int64(Date().timeIntervalSince1970) + 7200),
            ]
        }
        try await login(claims) {
            try Self.keySet($0)
        } _: { login, environment, _ in
            let refused = try await Tool.run(login, environment: environment)
            #expect(refused.status == 67)
            #expect(refused.errors.contains(" before (iat)"), "\(refused.errors)")
            #expect(refused.errors.hasSuffix("correct the clock that is wrong, or log in with a longer --clock-skew\n"))
            let accepted = try await Tool.run(login + ["--clock-skew", "7200"], environment: environment)
            #expect(accepted.status == 0, "\(accepted.errors)")
            #expect(accepted.errors.contains("Signed in as ada"))
        }
    }

    @Test func `A server of several tenants needs --issuer-template`() async throws {
        let claims: @Sendable (String) -> [String: JsonValue] = { ["iss": "\($0)/t-1/v2.0", "tid": "t-1"] }
        try await login(claims, issuer: "BASE/{tenantid}/v2.0") {
            try Self.keySet($0)
        } _: { login, environment, base in
            let refused = try await Tool.run(login, environment: environment)
            #expect(refused.status == 67)
            #expect(refused.errors.contains("--issuer-template"), "\(refused.errors)")
            let other = try await Tool.run(
                login + ["--issuer-template", "\(base)/x/{tenantid}"],
                environment: environment
            )
            #expect(other.status == 67)
            let accepted = try await Tool.run(
                login + ["--issuer-template", "\(base)/{tenantid}/v2.0"],
                environment: environment
            )
            #expect(accepted.status == 0, "\(accepted.errors)")
            let checks = try await Tool.run(["doctor"], environment: environment)
            #expect(!checks.text.contains("not for"), "\(checks.text)")
        }
    }
}
