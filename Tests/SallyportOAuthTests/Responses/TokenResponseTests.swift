import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct TokenResponseTests {
    private func tokens(_ answer: MockResponse) async throws -> OAuthTokens {
        let identity = try MockIdentityServer()
        identity.answerTokens(answer)
        return try await identity.client().clientCredentialsTokens()
    }

    private func error(_ answer: MockResponse) async throws -> OAuthError {
        try await oauthError { _ = try await tokens(answer) }
    }

    @Test(arguments: [("60", 60.0), ("\"60\"", 60), ("60.0", 60), ("0", 0), ("1e20", 315_360_000)])
    func `A lifetime can be a number or a string and is limited to ten years`(json: String, seconds: Double)
        async throws
    {
        let tokens = try await tokens(
            .json(#"{"access_token": "a", "token_type": "bearer", "expires_in": \#(json)}"#)
        )
        #expect(tokens.expiresAt == MockIdentityServer.now.addingTimeInterval(seconds))
    }

    @Test(arguments: ["-1", "\"soon\"", "true", "[]", "\"nan\"", "\"inf\""])
    func `A lifetime that is not a number of seconds is refused`(json: String) async throws {
        let error = try await error(.json(#"{"access_token": "a", "token_type": "bearer", "expires_in": \#(json)}"#))
        #expect(error.description.contains("expires_in"))
    }

    @Test func `Tokens without a lifetime do not expire`() async throws {
        #expect(try await tokens(.tokens(["expires_in": .null])).expiresAt == nil)
    }

    @Test(arguments: ["mac", "DPoP", "N_A", "BearerToken"])
    func `A token type that was not requested is refused, and named`(type: String) async throws {
        let error = try await error(.tokens(["token_type": .string(type)]))
        #expect(error.failure.reason == "the token_type of the response is \"\(type)\", which was not requested")
        #expect(error.failure.advice?.contains("acceptedTokenTypes") == true)
    }

    @Test(arguments: [JsonValue.null, ""])
    func `A missing token type is refused`(type: JsonValue) async throws {
        let error = try await error(.tokens(["token_type": type]))
        #expect(error.failure.reason == "the response has no token_type")
        #expect(error.failure.advice?.contains("acceptsMissingTokenType") == true)
    }

    @Test(
        arguments: [("BearerToken", "bearertoken"), ("bearer token", "Bearer Token"), (nil, "x")] as [(String?, String)]
    )
    func `Other token types and a missing one can be accepted as Bearer`(type: String?, accepted: String) async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.tokens(["token_type": type.map(JsonValue.string) ?? .null]))
        let client = identity.client { config in
            config.acceptedTokenTypes = [accepted]
            config.acceptsMissingTokenType = true
        }
        #expect(try await client.clientCredentialsTokens().tokenType == "Bearer")
        let bound = identity.client { config in
            config.acceptedTokenTypes = [accepted]
            config.acceptsMissingTokenType = true
            config.usesDPoP = true
        }
        let error = try await oauthError { _ = try await bound.clientCredentialsTokens() }
        #expect(error.failure.reason.contains("did not bind the tokens"))
    }

    @Test(arguments: ["null", "\"\"", "false", "0", "0.0", "{}", "[]"])
    func `An error without content beside tokens is no error`(json: String) async throws {
        let answer = MockResponse.json(
            """
            {"access_token": "a", "token_type": "Bearer", "error": \(json), "error_description": null, "error_uri": null, \
            "expires_in": null, "scope": null, "refresh_token": null, "id_token": null}
            """
        )
        let tokens = try await tokens(answer)
        #expect(tokens.accessToken == "a" && tokens.refreshToken == nil && tokens.expiresAt == nil)
        #expect(tokens.scope == "api")
    }

    @Test func `A byte order mark before tokens is ignored`() async throws {
        #expect(
            try await tokens(.json("\u{FEFF}{\"access_token\": \"a\", \"token_type\": \"Bearer\"}")).accessToken == "a"
        )
    }

    @Test(
        arguments: [
            (
                "<html><h1>Bad Request</h1><p>redirect_uri is not registered</p></html>", "text/html",
                "Bad Request redirect_uri is not registered"
            ),
            (
                #"{"error":{"code":403,"message":"No permission","status":"DENIED"}}"#, "application/json",
                "No permission"
            ),
            (#"{"message":"Missing parameters","code":1234}"#, "application/json", "Missing parameters"),
            (#"{"error":"","error_description":"","message":"Empty"}"#, "application/json", "Empty"),
            ("down\u{1B}[31m", "text/plain", "down\\u{1B}[31m"),
        ] as [(String, String, String)]
    )
    func `A refusal without an error code shows what the body says`(body: String, type: String, text: String)
        async throws
    {
        let error = try await error(.content(body, type, status: 400))
        #expect(error.error == nil)
        #expect(error.errorDescription == text)
        #expect(error.description.contains("(\"\(text)\", status 400)"), "\(error)")
    }

    @Test func `A page instead of tokens is shown by its title`() async throws {
        let error = try await error(.content("<title>Sign in to the proxy</title>", "text/html"))
        #expect(error.description.contains("is not a JSON object (\"Sign in to the proxy\", status 200)"), "\(error)")
    }

    @Test func `What a refusal says is masked`() async throws {
        let identity = try MockIdentityServer()
        let body = "<p>canary-secret is wrong, see https://a.example/?access_token=canary-other</p>"
        identity.answerTokens(.content(body, "text/html", status: 401))
        let client = identity.client { $0.authentication = .secretPost("canary-secret") }
        let error = try await oauthError { _ = try await client.clientCredentialsTokens() }
        #expect(error.description.contains("*** is wrong"))
        #expect(!error.description.contains("canary"))
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "ü", "a\u{0}"])
    func `An access token with characters that a header field cannot contain is refused`(token: String) async throws {
        #expect(
            try await error(.tokens(["access_token": .string(token)])).description.contains("no valid access_token")
        )
    }

    @Test(arguments: ["", "<html>", "[]", "null", "{"])
    func `A successful response without a JSON object is refused`(body: String) async throws {
        #expect(try await error(.text(body)).description.contains("not a JSON object"))
    }

    @Test func `The Content-Type of a token response is ignored`() async throws {
        #expect(try await tokens(.text(#"{"access_token": "a", "token_type": "Bearer"}"#)).accessToken == "a")
    }

    @Test func `An error code in a response with status 200 is an error`() async throws {
        let error = try await error(.json(#"{"error": "invalid_grant"}"#))
        #expect(error.isInvalidGrant)
    }

    @Test func `A token response larger than one mebibyte is refused`() async throws {
        let padding = String(repeating: "x", count: 1 << 20)
        let error = try await error(.json(#"{"access_token": "a", "token_type": "Bearer", "x": "\#(padding)"}"#))
        #expect(error.description.contains("the maximum is 1 MiB"))
        #expect(error.body == nil)
    }

    @Test(arguments: [(400, true), (401, false), (403, false), (500, false), (502, false)])
    func `A response without an error code ends the grant only if it is an empty 400`(
        status: Int,
        isInvalidGrant: Bool
    ) async throws {
        let error = try await error(.status(status))
        #expect(error.error == nil)
        #expect(error.status == status)
        #expect(error.isInvalidGrant == isInvalidGrant)
    }

    @Test func `An HTML page with status 400 does not end the grant`() async throws {
        #expect(try await error(.text("<h1>Bad Request</h1>", status: 400)).isInvalidGrant == false)
    }

    @Test func `An error contains the error code, description, status and body`() async throws {
        let error = try await error(.refusal("invalid_scope", "no", status: 403))
        #expect(error.error == "invalid_scope")
        #expect(error.errorDescription == "no")
        #expect(error.status == 403)
        #expect(error.body.map { String(decoding: $0, as: UTF8.self) }?.contains("invalid_scope") == true)
        #expect(
            error.description == """
                POST https://id.example.com/token: the server refused the request for tokens \
                (invalid_scope, "no", status 403)
                """
        )
    }

    @Test func `Control characters in the server's error are escaped in the description`() async throws {
        let error = try await error(.refusal("x\u{9B}31m", "\u{202E}no\n\u{200F}"))
        #expect(error.description.contains(#"(x\u{9B}31m, "\u{202E}no\u{A}\u{200F}", status 400)"#), "\(error)")
    }

    @Test func `An error shows neither the response body nor tokens that the server repeats`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.refusal("invalid_grant", "canary-refresh is unknown, access_token=canary-other"))
        let old = OAuthTokens(accessToken: "canary-access", refreshToken: "canary-refresh")
        let client = identity.client { $0.authentication = .secretPost("canary-secret") }
        let error = try await oauthError { _ = try await client.refresh(old) }
        var dumped = ""
        dump(error, to: &dumped)
        let shown = "\(error) \(String(reflecting: error)) \(error.errorDescription ?? "") \(dumped)"
        #expect(shown.contains("*** is unknown"))
        #expect(!shown.contains("canary"))
    }

    @Test func `An error masks a client secret that the server repeats`() async throws {
        let identity = try MockIdentityServer()
        identity.answerTokens(.refusal("invalid_client", "wrong: canary-secret"))
        let client = identity.client { $0.authentication = .secretBasic("canary-secret") }
        let error = try await oauthError { _ = try await client.clientCredentialsTokens() }
        #expect(error.isInvalidClient)
        #expect(error.errorDescription == "wrong: ***")
    }

    @Test func `The description and dump of tokens contain no token`() {
        let tokens = OAuthTokens(accessToken: "canary-access", refreshToken: "canary-refresh", idToken: "canary-id")
        var dumped = ""
        dump(tokens, to: &dumped)
        #expect(!"\(tokens) \(String(reflecting: tokens)) \(dumped)".contains("canary"))
    }
}
