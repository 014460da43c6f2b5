import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportOAuth
import TestSupport
import Testing

/// The JavaScript configuration of the seed 001 in the form of Sallyport, with a gateway. Trees do not exist yet, so the test sends the
/// first request of one itself.
@Suite(.concurrencyLimited) struct SeedConfigurationExampleTests {
    private static let forceAuthMiddleware: RequestMiddleware = { request, action, next in
        if action.type == "START_AUTHENTICATE" { request.setParameter(name: "ForceAuth", value: "true") }
        try await next(&request)
    }

    private static let addHeadersMiddleware: RequestMiddleware = { request, action, next in
        if action.type == "START_AUTHENTICATE" { request.addHeader(name: "Accept-Language", value: "en-GB") }
        try await next(&request)
    }

    @Test func `The settings and the middleware of a configuration reach the server`() async throws {
        let redirectURI = "https://localhost:8443/callback.html"
        let metadata = ClientMetadata(redirectURIs: [redirectURI], scope: "openid profile email address")
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.clients = [GatewayClient(id: "sdkPublicClient", metadata: metadata)]
        let server = try AuthorizationServer(configuration)
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
            let settings = try PingAMConfiguration(
                clientID: "sdkPublicClient",
                redirectURI: redirectURI,
                scope: "openid profile email address",
                realmPath: "alpha",
                tree: "UsernamePassword",
                baseURL: gateway.baseURL + "/echo/am",
                timeout: .milliseconds(30_000)
            )
            let http = HttpClient.createClient(settings) { config in
                config.addMiddleware(Self.forceAuthMiddleware)
                config.addMiddleware(Self.addHeadersMiddleware)
            }
            defer { http.close() }
            #expect(http.configuration.timeouts.total == .seconds(30))
            // The gateway has other endpoints than PingAM.
            let metadata = try await OAuthServer(issuer: gateway.baseURL, httpClient: http).metadata()
            let client = OAuthClient(settings) { config in
                config.metadata = metadata
                config.httpClient = http
            }

            let response = try await http.request { request in
                request.url = "\(settings.baseURL)/json/realms/root/realms/\(settings.realmPath)/authenticate"
                request.setParameter(name: "authIndexType", value: "service")
                request.setParameter(name: "authIndexValue", value: settings.tree ?? "")
                request.post(json: [:])
                request.action = Action("START_AUTHENTICATE")
            }
            let received = try response.decode(EchoedRequest.self)
            #expect(received.target.hasSuffix("?authIndexType=service&authIndexValue=UsernamePassword&ForceAuth=true"))
            #expect(received.headers["accept-language"] == ["en-GB"])

            let request = try await client.authorizationRequest()
            let page = try await http.submitForms(
                at: request.url,
                [["username": "alice", "password": "wonderland"], ["decision": "allow"]]
            )
            let callback = try #require(page.getHeader(name: "Location"))
            #expect(callback.hasPrefix(redirectURI + "?code="))
            let tokens = try await client.tokens(from: callback, for: request)
            #expect(tokens.scope == "openid profile email address")
        }
    }

    private struct AddingInterceptor: RequestInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            #expect(action.payload == nil)
            guard action.type == "CLIENT_CREDENTIALS" else { return request }
            var request = request
            request.form(parameters: ["device": "tv"])
            return request
        }
    }

    @Test func `A shared interceptor adds a field to a form of an OAuth client without an HTTP client`() async {
        // In a process of its own, as the interceptor changes the requests of all clients of the process.
        await #expect(processExitsWith: .success) {
            RequestInterceptorRegistry.shared.register(AddingInterceptor())
            let server = try AuthorizationServer(.development())
            try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
                try await withScriptedServer([[.tunnel(toPort: gateway.port)]]) { recorder in
                    let client = OAuthClient(issuer: gateway.baseURL, clientID: "conf") { config in
                        config.authentication = .secretBasic("s3cret-conf")
                        config.scopes = ["api"]
                        config.metadata = ServerMetadata(
                            issuer: gateway.baseURL,
                            tokenEndpoint: "http://\(recorder.authority)/token"
                        )
                    }
                    _ = try await client.clientCredentialsTokens()
                    #expect(
                        recorder.requests.map(\.bodyText) == ["grant_type=client_credentials&scope=api&device=tv"]
                    )
                }
            }
        }
    }
}
