import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct IntrospectionEndpointTests {
    /// Runs an identity server, and a resource gateway that asks it.
    private func withServers(
        secret: String = "s3cret-conf",
        path: String = "/api/v1/token/introspect",
        _ test: (_ identity: AuthorizationServer, _ identityURL: String, _ resourceURL: String) async throws -> Void
    ) async throws {
        var settings = try AuthorizationServerConfiguration.development()
        settings.signatureAlgorithms = [.es256]
        settings.resourcePolicies = []
        let server = try AuthorizationServer(settings)
        var identity = GatewayConfiguration(authorizationServer: server)
        identity.hasTestRoutes = false
        let client = HttpClient.createClient()
        defer { client.close() }
        try await Gateway.withRunning(identity) { identityAddress in
            var resources = GatewayConfiguration()
            resources.resourceServer = ResourceServer(
                ResourceServerConfiguration(policies: .development),
                introspection: IntrospectionEndpoint(
                    url: identityAddress.baseURL + path,
                    clientID: "conf",
                    secret: secret,
                    httpClient: client
                )
            )
            try await Gateway.withRunning(resources) { address in
                try await test(server, identityAddress.baseURL, address.baseURL)
            }
        }
    }

    /// Returns an access token of the client `conf` with the scope `api`.
    private func token(_ client: HttpClient, _ url: String) async throws -> String {
        let response = try await client.request { request in
            request.url = url + "/token"
            request.form(parameters: [
                "grant_type": "client_credentials", "client_id": "conf", "client_secret": "s3cret-conf",
            ])
        }
        return try #require(try response.decode([String: JsonValue].self)["access_token"]?.string)
    }

    private func get(_ client: HttpClient, _ url: String, _ token: String?) async throws -> HttpResponse {
        try await client.request { request in
            request.url = url
            if let token { request.setHeader(name: "Authorization", value: "Bearer \(token)") }
        }
    }

    @Test func `A resource gateway in another process checks tokens with the identity server`() async throws {
        let client = HttpClient.createClient()
        defer { client.close() }
        try await withServers { server, identityURL, resourceURL in
            let token = try await token(client, identityURL)
            let response = try await get(client, resourceURL + "/resources/api/users", token)
            #expect(response.status.code == 200)
            let members = try response.decode([String: JsonValue].self)
            #expect(members["token"]?["client_id"] == "conf")
            #expect(members["token"]?["nbf"] == members["token"]?["iat"])
            #expect(try await get(client, resourceURL + "/resources/accounts", token).status.code == 403)
            #expect(try await get(client, resourceURL + "/resources/api", nil).status.code == 401)
            #expect(try await get(client, resourceURL + "/resources/api", "unknown").status.code == 401)
            await server.expireAccessTokens()
            let revoked = try await get(client, resourceURL + "/resources/api", token)
            #expect(revoked.status.code == 401)
            #expect(revoked.headers["WWW-Authenticate"]?.first?.contains("invalid_token") == true)
        }
    }

    @Test func `Each process serves only its own routes`() async throws {
        let client = HttpClient.createClient()
        defer { client.close() }
        try await withServers { (_, identityURL, resourceURL) async throws in
            #expect(try await get(client, identityURL + "/resources/public", nil).status.code == 404)
            #expect(try await get(client, identityURL + "/echo", nil).status.code == 404)
            #expect(try await get(client, identityURL + "/health", nil).status.code == 200)
            #expect(try await get(client, resourceURL + "/resources/public", nil).status.code == 200)
            #expect(try await get(client, resourceURL + "/.well-known/openid-configuration", nil).status.code == 404)
        }
    }

    @Test(arguments: [("wrong", "/api/v1/token/introspect"), ("s3cret-conf", "/nowhere"), ("s3cret-conf", "/revoke")])
    func `A token that cannot be checked is answered with 503`(secret: String, path: String) async throws {
        let client = HttpClient.createClient()
        defer { client.close() }
        try await withServers(secret: secret, path: path) { _, identityURL, resourceURL in
            let token = try await token(client, identityURL)
            let response = try await get(client, resourceURL + "/resources/api", token)
            #expect(response.status.code == 503)
            #expect(try response.decode([String: JsonValue].self)["error"] == "temporarily_unavailable")
            for text in [secret, token, identityURL] { #expect(!response.bodyAsString().contains(text)) }
            #expect(try await get(client, resourceURL + "/resources/public", nil).status.code == 200)
        }
    }

    @Test func `An identity server that cannot be reached is answered with 503`() async throws {
        let client = HttpClient.createClient()
        defer { client.close() }
        let closed = try await Gateway.withRunning { $0.baseURL }
        var configuration = GatewayConfiguration()
        configuration.resourceServer = ResourceServer(
            ResourceServerConfiguration(policies: .development),
            introspection: IntrospectionEndpoint(
                url: closed + "/introspect",
                clientID: "conf",
                secret: "x",
                httpClient: client
            )
        )
        try await Gateway.withRunning(configuration) { (address) async throws in
            #expect(try await get(client, address.baseURL + "/resources/api", "token").status.code == 503)
        }
    }

    @Test func `A client secret with reserved characters is encoded`() async throws {
        let secret = "a:b%c d+é"
        var settings = try AuthorizationServerConfiguration.development()
        settings.signatureAlgorithms = [.es256]
        settings.clients[1].secret = try PasswordHash(hashing: secret, cost: 4)
        let client = HttpClient.createClient()
        defer { client.close() }
        let server = GatewayConfiguration(authorizationServer: try AuthorizationServer(settings))
        try await Gateway.withRunning(server) { (address) async throws in
            let endpoint = IntrospectionEndpoint(
                url: address.baseURL + "/introspect",
                clientID: "conf",
                secret: secret,
                httpClient: client
            )
            #expect(try await endpoint.claims(ofAccessToken: "unknown") == nil)
        }
    }

    @Test func `A gateway with two sets of resources does not start`() async throws {
        let client = HttpClient.createClient()
        defer { client.close() }
        var configuration = GatewayConfiguration(authorizationServer: try AuthorizationServer(.development()))
        configuration.resourceServer = ResourceServer(
            ResourceServerConfiguration(policies: .development),
            introspection: IntrospectionEndpoint(
                url: "https://id.example.com/introspect",
                clientID: "a",
                secret: "b",
                httpClient: client
            )
        )
        let error = GatewayError.invalidIdentity("The authorization server has resources too (resource_policies).")
        await #expect(throws: error) { try await Gateway.withRunning(configuration) { _ in } }
    }

    @Test func `The endpoint for resource gateways does not need apps`() async throws {
        try await TestIdentity.with({ $0.applications = [] }) { identity in
            let token = try await identity.tokens().access
            let response = try await identity.post(
                "/api/v1/token/introspect",
                ["token": token],
                basic: "conf:s3cret-conf"
            )
            #expect(response.members["active"] == true)
        }
    }

    @Test func `Devices and public clients cannot introspect tokens`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let token = try await device.clientCredentials().accessToken
            let made = try await identity.client.execute(
                uri: "/register",
                method: .post,
                headers: [.contentType: "application/json"],
                body: .init(string: #"{"grant_types": ["client_credentials"], "scope": "openid"}"#)
            ).members
            let id = try #require(made["client_id"]?.string)
            let registered = "\(id):\(made["client_secret"]?.string ?? "")"
            for path in ["/introspect", "/api/v1/token/introspect"] {
                #expect(try await identity.post(path, ["token": token]).refusal == "invalid_request")
                let unauthenticated = try await identity.post(path, ["token": token, "client_id": "conf"])
                #expect(unauthenticated.refusal == "invalid_client")
                let anyone = try await identity.post(path, ["token": token], basic: registered)
                #expect(anyone.refusal == "invalid_client")
                let isPublic = try await identity.post(path, ["token": token, "client_id": "pub"])
                #expect(isPublic.refusal == "invalid_client")
                #expect(try await device.post(path, ["token": token]).refusal == "invalid_client")
                let claims = try await identity.post(path, ["token": token], basic: "conf:s3cret-conf").members
                #expect(claims["active"] == true)
                #expect(claims["client_id"] == .string(device.clientID))
                #expect(claims["app_identifier"] == "com.example.app")
                #expect(claims["app_version"] == "1.0")
                #expect(claims["app_platform"] == "linux")
                #expect(claims["iat"] == 1_800_000_000)
                #expect(claims["nbf"] == 1_800_000_000)
                #expect(claims["exp"] == 1_800_000_300)
            }
        }
    }
}
