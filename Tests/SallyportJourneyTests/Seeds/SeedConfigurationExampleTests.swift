import Foundation
import Sallyport
import SallyportGateway
import SallyportJourney
import SallyportOAuth
import TestSupport
import Testing

/// The JavaScript configuration of the seed 001 in the form of Sallyport, with a gateway.
@Suite(.concurrencyLimited) struct SeedConfigurationExampleTests {
    private static let tree = """
        {"UsernamePassword": {"start": "ask", "nodes": {
          "ask": {"type": "page", "nodes": [{"type": "username"}, {"type": "password"}], "next": "check"},
          "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
        }}}
        """

    @Test func `The settings and the hooks of a configuration reach the server`() async throws {
        let redirectURI = "https://localhost:8443/callback.html"
        let metadata = ClientMetadata(redirectURIs: [redirectURI], scope: "openid profile email address")
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.clients = [GatewayClient(id: "sdkPublicClient", metadata: metadata)]
        configuration.clients[0].impliesConsent = true
        configuration.stepUpTree = nil
        configuration.trees = try JourneyTrees(json: Data(Self.tree.utf8))
        let server = try AuthorizationServer(configuration)
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { gateway in
            try await withScriptedServer([[.tunnel(toPort: gateway.port)]]) { recorder in
                var settings = try JourneyConfiguration(
                    clientID: "sdkPublicClient",
                    redirectURI: redirectURI,
                    scope: "openid profile email address",
                    realmPath: "alpha",
                    tree: "UsernamePassword",
                    baseURL: "http://\(recorder.authority)",
                    timeout: .milliseconds(30_000)
                )
                // The recorder has another port than the gateway.
                settings.issuer = gateway.baseURL + "/oauth2/realms/root/realms/alpha"
                let http = HttpClient.createClient { config in
                    config.onRequest { request in
                        guard request.action?.type == .startAuthenticate else { return }
                        request.setParameter(name: "ForceAuth", value: "true")
                        request.addHeader(name: "Accept-Language", value: "en-GB")
                    }
                }
                defer { http.close() }
                let journey = Journey(settings, httpClient: http) { config in config.idTokenAlgorithms = [.es256] }
                #expect(journey.httpClient.configuration.timeouts.total == .seconds(30))

                guard case .node(var node) = try await journey.start() else {
                    Issue.record("the tree asks nothing")
                    return
                }
                node[NameCallback.self]?.name = "alice"
                node[PasswordCallback.self]?.password = "wonderland"
                guard case .success = try await node.next() else {
                    Issue.record("the user is not signed in")
                    return
                }
                #expect(try await journey.requestTokens().scope == "openid profile email address")
                // The hook demands to authenticate although there is a session.
                guard case .node = try await journey.start() else {
                    Issue.record("the tree asks nothing")
                    return
                }

                let trees = recorder.requests.filter { $0.target.contains("/authenticate") }
                let path = "/json/realms/root/realms/alpha/authenticate"
                let start = path + "?authIndexType=service&authIndexValue=UsernamePassword&ForceAuth=true"
                #expect(trees.map(\.target) == [start, path, start])
                #expect(trees.map { $0["Accept-Language"] } == [["en-GB"], [], ["en-GB"]])
            }
        }
    }
}
