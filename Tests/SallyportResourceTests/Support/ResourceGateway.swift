import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportOAuth
import SallyportResource
import Testing

/// A gateway over TLS with devices, users and resources, and the shared clients, which are configured for it.
enum ResourceGateway {
    /// Runs a gateway with the resource `/resources/api` while a closure runs.
    ///
    /// - Parameters:
    ///   - scope: The scope that the resource needs; `nil` if it needs no token.
    ///   - body: A closure that is called with the configured client, and with a sign-in as alice.
    static func withRunning(
        scope: String?,
        _ body: (_ client: ResourceClient, _ signIn: BrowserSignIn<FormAgent>) async throws -> Void
    ) async throws {
        let authority = try DevelopmentAuthority()
        var settings = try AuthorizationServerConfiguration.development()
        settings.signatureAlgorithms = [.es256]
        settings.resourcePolicies = [ResourcePolicy(path: "/api", scope: scope)]
        settings.applications = settings.applications.map { application in
            var application = application
            application.implicitScopes.append("api")
            return application
        }
        let configuration = GatewayConfiguration(
            tls: .developmentAuthority(authority),
            authorizationServer: try AuthorizationServer(settings)
        )
        let statement = try await GatewayApplication.developmentStatement(version: "1.0", platform: "linux")
        try await Gateway.withRunning(configuration) { address in
            var model = ConfigModel(
                appIdentifier: "com.example.app",
                appVersion: "1.0",
                baseURL: address.baseURL,
                resourceBaseURL: address.baseURL + "/resources/"
            )
            model.appPlatform = "linux"
            model.certificates = [authority.certificatePEM]
            model.redirectURL = FormAgent.redirectURI
            model.softwareStatement = statement
            model.integrityChecks = []
            let client = try ResourceClient.configure(model, stores: .memory()) { config in
                config.transportConfiguration.security.trustRoots = .pem(authority.certificatePEM)
            }
            defer { ResourceClient.removeConfiguration() }
            try await body(client, BrowserSignIn(FormAgent(trustRoots: authority.certificatePEM)))
        }
    }
}

/// Submits the forms of the gateway's pages as alice.
struct FormAgent: AuthorizationAgent {
    static let redirectURI = "http://127.0.0.1/callback"

    /// The authority of the gateway in PEM; `nil` for a gateway without TLS.
    var trustRoots: String?

    func authorize(
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationResponse {
        let request = try await makeRequest(Self.redirectURI)
        let browser = HttpClient.createClient { config in
            if let trustRoots { config.transportConfiguration.security.trustRoots = .pem(trustRoots) }
        }
        defer { browser.close() }
        let forms = [["username": "alice", "password": "wonderland"], ["decision": "allow"]]
        let response = try await browser.submitForms(at: request.url, forms)
        let callback = try #require(response.getHeader(name: "Location"))
        return AuthorizationResponse(url: callback, request: request)
    }
}

/// A request for a resource, as the gateway returns it.
struct GatewayResource: Decodable {
    let method: String
    let target: String
    /// The claims of the token; `nil` if there was none, or none is needed.
    let token: [String: JsonValue]?

    init(_ response: ResourceResponse) throws {
        self = try JSONDecoder().decode(GatewayResource.self, from: response.data ?? Data())
    }
}
