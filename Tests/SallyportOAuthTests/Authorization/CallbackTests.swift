import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct CallbackTests {
    private let issuer = "https://id.example.com/tenant"

    /// Returns the error for a callback, in which `STATE` is replaced by the state of the request.
    private func error(_ callback: String, _ metadata: [String: JsonValue] = [:]) async throws -> OAuthError {
        let identity = try MockIdentityServer(metadata)
        let client = identity.client()
        let request = try await client.authorizationRequest()
        let url = callback.replacing("STATE", with: request.state)
        let error = try await oauthError { _ = try await client.tokens(from: url, for: request) }
        #expect(identity.forms("/token").isEmpty)
        return error
    }

    @Test(arguments: ["code=c", "code=c&state=", "code=c&state=x", "code=c&state=STATEx", "state=xSTATE&error=e"])
    func `A callback with a missing or different state is refused`(query: String) async throws {
        #expect(try await error("http://127.0.0.1:8765/cb?\(query)").description.contains("its state differs"))
    }

    @Test(arguments: ["https%3A%2F%2Fevil.example.com", "https%3A%2F%2Fid.example.com%2Ftenant%2F", ""])
    func `A callback with the iss of another issuer is refused`(iss: String) async throws {
        let error = try await error("http://127.0.0.1:8765/cb?code=c&state=STATE&iss=\(iss)")
        #expect(error.description.contains("not from \(issuer)"))
    }

    @Test func `A callback without iss is refused if the server announces that it sends iss`() async throws {
        let metadata: [String: JsonValue] = ["authorization_response_iss_parameter_supported": true]
        let error = try await error("http://127.0.0.1:8765/cb?code=c&state=STATE", metadata)
        #expect(error.description.contains("the response has no issuer (iss)"))
    }

    @Test func `An error callback throws the server's description, escaped and truncated`() async throws {
        let long = String(repeating: "x", count: 1000)
        let error = try await error(
            "http://127.0.0.1:8765/cb?error=access_denied&error_description=No%0Aand+no%E2%80%AE\(long)&state=STATE"
        )
        #expect(error.isAccessDenied)
        #expect(error.errorDescription?.hasPrefix(#"No\u{A}and no\u{202E}xxx"#) == true)
        #expect(error.description.count < 500)
    }

    @Test(arguments: [
        "http://127.0.0.1:8765/other?code=c&state=STATE", "http://127.0.0.1:8766/cb?code=c&state=STATE",
        "https://127.0.0.1:8765/cb?code=c&state=STATE", "http://127.0.0.1:8765/cb/?code=c&state=STATE",
        "code=c&state=STATE", "/cb?code=c&state=STATE", "",
    ])
    func `A callback to a URL other than the redirect URI is refused`(callback: String) async throws {
        #expect(try await error(callback).description.contains("the callback was not received at the redirect URI"))
    }

    @Test func `A callback with its parameters in the fragment is refused`() async throws {
        let error = try await error("http://127.0.0.1:8765/cb#code=c&state=STATE")
        #expect(error.description.contains("in the fragment"))
    }

    @Test(arguments: ["code=c&code=d&state=STATE", "code=c&state=STATE&state=STATE", "error=a&error=b&state=STATE"])
    func `A callback with a repeated parameter is refused`(query: String) async throws {
        #expect(try await error("http://127.0.0.1:8765/cb?\(query)").description.contains("more than once"))
    }

    @Test func `An empty error beside a code is no error`() async throws {
        let identity = try MockIdentityServer()
        let client = identity.client { $0.scopes = ["api"] }
        identity.answerTokens(.tokens())
        let request = try await client.authorizationRequest()
        let callback = request.callback("code=code-1&error=&error_description=&error_uri=")
        #expect(try await client.tokens(from: callback, for: request).accessToken == "access-1")
        let described = try await error("http://127.0.0.1:8765/cb?error=access_denied&error_description=&state=STATE")
        #expect(described.errorDescription == nil)
    }

    @Test(arguments: ["", "error=&", "code=&"])
    func `A callback without a code is refused`(query: String) async throws {
        #expect(try await error("http://127.0.0.1:8765/cb?\(query)state=STATE").description.contains("has no code"))
    }

    @Test(arguments: ["com.example.app:/cb", "https://APP.example.com", "https://app.example.com/cb?flow=1"])
    func `A callback matches the redirect URI regardless of host case, added query and fragment`(uri: String)
        async throws
    {
        let identity = try MockIdentityServer()
        let client = identity.client()
        let request = try await client.authorizationRequest(redirectURI: uri)
        try await identity.answerTokens(idToken: ["nonce": .string(request.nonce ?? "")])
        let separator = uri.contains("?") ? "&" : "?"
        let callback = "\(uri.replacing("APP", with: "app"))\(separator)code=a%2Bb+c&state=\(request.state)#_=_"
        _ = try await client.tokens(from: callback, for: request)
        #expect(identity.forms("/token").first?["code"] == "a+b c")
        #expect(identity.forms("/token").first?["redirect_uri"] == uri)
    }
}
