import ClientTestSupport
import Foundation
import Sallyport
import SallyportJOSE
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct AuthorizationRequestTests {
    @Test func `The authorization URL contains all parameters of the request`() async throws {
        let identity = try MockIdentityServer(["authorization_endpoint": "https://id.example.com/authorize?realm=a"])
        let request = try await identity.client { config in
            config.resources = ["https://api.example.com"]
            config.audience = "billing"
        }.authorizationRequest(parameters: ["prompt": "login", "ForceAuth": "true", "login_hint": "a&b c+d"])
        #expect(request.url.hasPrefix("https://id.example.com/authorize?realm=a&response_type=code&"))
        let challenge = request.codeChallenge.challenge
        #expect(
            request.parameters == [
                "realm": "a", "response_type": "code", "client_id": "app", "redirect_uri": "http://127.0.0.1:8765/cb",
                "scope": "openid api", "state": request.state, "nonce": request.nonce ?? "",
                "code_challenge": challenge,
                "code_challenge_method": "S256", "resource": "https://api.example.com", "audience": "billing",
                "prompt": "login", "ForceAuth": "true", "login_hint": "a&b c+d",
            ]
        )
    }

    @Test func `State, nonce and verifier are new for each request and contain 256 bits`() async throws {
        let client = try MockIdentityServer().client()
        var texts: Set<String> = []
        for _ in 0..<10 {
            let request = try await client.authorizationRequest()
            for text in [request.state, request.nonce ?? "", request.codeChallenge.verifier] {
                #expect(Base64Url.decode(text)?.count == 32)
                texts.insert(text)
            }
        }
        #expect(texts.count == 30)
    }

    @Test func `Without the scope openid, a request contains no nonce`() async throws {
        let request = try await MockIdentityServer().client().authorizationRequest(scopes: ["api"])
        #expect(request.nonce == nil)
        #expect(request.parameters["nonce"] == nil)
        #expect(request.parameters["scope"] == "api")
    }

    @Test(arguments: ["state", "nonce", "client_id", "redirect_uri", "code_challenge", "response_type", "scope"])
    func `Parameters that the client sets itself cannot be overridden`(name: String) async throws {
        let client = try MockIdentityServer().client()
        let error = try await oauthError { _ = try await client.authorizationRequest(parameters: [name: "x"]) }
        #expect(error.description.contains("the parameter \(name)"))
    }

    @Test func `A server that supports only plain code challenges is refused`() async throws {
        let client = try MockIdentityServer(["code_challenge_methods_supported": ["plain"]]).client()
        let error = try await oauthError { _ = try await client.authorizationRequest() }
        #expect(error.description.contains("does not offer PKCE with S256 (it offers plain)"))
    }

    @Test func `S256 is used if the server does not list its code challenge methods`() async throws {
        let client = try MockIdentityServer(["code_challenge_methods_supported": .null]).client()
        #expect(try await client.authorizationRequest().parameters["code_challenge_method"] == "S256")
    }

    @Test func `With DPoP, the authorization request contains the thumbprint of the proof key`() async throws {
        let request = try await MockIdentityServer().client { $0.usesDPoP = true }.authorizationRequest()
        let thumbprint = try request.proofKey?.publicJsonWebKey?.thumbprint()
        #expect(thumbprint != nil)
        #expect(request.parameters["dpop_jkt"] == thumbprint)
    }

    @Test func `The description and dump of a request contain neither verifier nor state`() async throws {
        let request = try await MockIdentityServer().client().authorizationRequest()
        var dumped = ""
        dump(request, to: &dumped)
        let shown = "\(request) \(String(reflecting: request)) \(dumped)"
        #expect(!shown.contains(request.codeChallenge.verifier) && !shown.contains(request.state))
    }
}

@Suite(.concurrencyLimited) struct PushedAuthorizationTests {
    private let endpoint: [String: JsonValue] = ["pushed_authorization_request_endpoint": "https://id.example.com/par"]

    private func identity(_ more: [String: JsonValue] = [:]) throws -> MockIdentityServer {
        let identity = try MockIdentityServer(endpoint.merging(more) { $1 })
        identity.transport.on(.post, "/par", .json(#"{"request_uri": "urn:x:1", "expires_in": 60}"#, status: 201))
        return identity
    }

    @Test func `If the server supports pushed requests, the URL contains only the client_id and a request_uri`()
        async throws
    {
        let identity = try identity()
        let client = identity.client { $0.authentication = .secretBasic("secret") }
        let request = try await client.authorizationRequest(parameters: ["prompt": "login"])
        #expect(request.url == "https://id.example.com/authorize?client_id=app&request_uri=urn%3Ax%3A1")
        let form = try #require(identity.forms("/par").first)
        #expect(form["client_id"] == "app")
        #expect(form["state"] == request.state)
        #expect(form["nonce"] == request.nonce)
        #expect(form["redirect_uri"] == "http://127.0.0.1:8765/cb")
        #expect(form["prompt"] == "login")
        #expect(form["code_challenge"] == request.codeChallenge.challenge)
        #expect(identity.transport.requests.last?.header("Authorization")?.hasPrefix("Basic ") == true)
    }

    @Test func `Parameters added by interceptors are part of the pushed request`() async throws {
        let identity = try identity()
        let client = identity.client { config in
            config.httpClient = HttpClient.createClient { http in
                http.transport = identity.transport
                http.addInterceptor(ForceAuthentication())
            }
        }
        _ = try await client.authorizationRequest()
        #expect(identity.forms("/par").first?["ForceAuth"] == "true")
    }

    @Test func `With .never, a request is pushed only if the server requires it; .always requires an endpoint`()
        async throws
    {
        let offered = try identity()
        _ = try await offered.client { $0.pushedAuthorization = .never }.authorizationRequest()
        #expect(offered.forms("/par").isEmpty)
        let demanded = try identity(["require_pushed_authorization_requests": true])
        _ = try await demanded.client { $0.pushedAuthorization = .never }.authorizationRequest()
        #expect(demanded.forms("/par").count == 1)
        let client = try MockIdentityServer().client { $0.pushedAuthorization = .always }
        let error = try await oauthError { _ = try await client.authorizationRequest() }
        #expect(error.description.contains("no pushed_authorization_request_endpoint"))
    }

    @Test func `A refused pushed request throws the server's error code, description and status`() async throws {
        let identity = try identity()
        identity.transport.on(.post, "/par", .refusal("invalid_request", "no such scope"))
        let error = try await oauthError { _ = try await identity.client().authorizationRequest() }
        #expect(error.error == "invalid_request")
        #expect(error.errorDescription == "no such scope")
        #expect(error.status == 400)
    }
}

private struct ForceAuthentication: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) async throws -> HttpRequest {
        var request = request
        if action.type == .authorize { request.setParameter(name: "ForceAuth", value: "true") }
        return request
    }
}
