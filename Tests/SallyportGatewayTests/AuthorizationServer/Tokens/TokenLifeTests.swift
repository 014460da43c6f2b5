import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct TokenLifeTests {
    @Test func `An access token has the claims of RFC 9068 and is signed with a published key`() async throws {
        try await TestIdentity.with { identity in
            let token = try await identity.tokens().access
            let signature = try JsonWebSignature(parsing: token)
            #expect(signature.header["typ"] == "at+jwt")
            let claims = try signature.claims()
            #expect(claims["iss"] == "http://127.0.0.1")
            #expect(claims["aud"] == "http://127.0.0.1")
            #expect(claims["sub"] == "alice")
            #expect(claims["client_id"] == "pub")
            #expect(claims["scope"] == "openid profile api")
            #expect(claims["exp"]?.integer == 1_800_000_300)
            #expect(claims["jti"]?.string?.isEmpty == false)
            let keys = try await identity.get("/jwks", authorization: nil).members["keys"]?.array ?? []
            #expect(keys.allSatisfy { $0["d"] == nil })
            let key = try #require(keys.first { $0["kid"]?.string == signature.keyID }?.object)
            try signature.verify(with: JsonWebKey(members: key), allowing: [.es256])
        }
    }

    @Test func `An access token is accepted until it expires, and the challenge then states invalid_token`()
        async throws
    {
        try await TestIdentity.with { identity in
            let token = try await identity.tokens().access
            identity.clock.advance(299)
            #expect(try await identity.get("/protected", authorization: "Bearer \(token)").status == .ok)
            #expect(try await identity.get("/protected", authorization: "bearer \(token)").status == .ok)
            identity.clock.advance(2)
            let response = try await identity.get("/protected", authorization: "Bearer \(token)")
            #expect(response.status == .unauthorized)
            let challenge = try #require(response.headers[.wwwAuthenticate])
            #expect(challenge.hasPrefix("Bearer realm=\"sallyport\", scope=\"api\", error=\"invalid_token\""))
            #expect(await identity.server.statistics.protectedCalls == 2)
        }
    }

    @Test(arguments: [nil, "Bearer", "Bearer ", "Bearer x.y.z", "Basic YTpi", "Token x"])
    func `A call without a valid access token is refused with a Bearer challenge`(authorization: String?) async throws {
        try await TestIdentity.with { identity in
            let response = try await identity.get("/protected", authorization: authorization)
            #expect(response.status == .unauthorized)
            #expect(response.headers[values: .wwwAuthenticate].contains { $0.hasPrefix("Bearer realm=") })
            if authorization == nil {
                #expect(response.headers[values: .wwwAuthenticate].allSatisfy { !$0.contains("error") })
            }
        }
    }

    @Test func `An access token without the required scope is refused with insufficient_scope`() async throws {
        try await TestIdentity.with { identity in
            let token = try await identity.tokens(["scope": "openid"]).access
            let response = try await identity.get("/protected", authorization: "Bearer \(token)")
            #expect(response.status == .forbidden)
            #expect(response.headers[.wwwAuthenticate]?.contains("error=\"insufficient_scope\"") == true)
        }
    }

    @Test func `Access tokens can have a lifetime of zero or be expired at once, and refresh tokens remain valid`()
        async throws
    {
        try await TestIdentity.with({ $0.lifetimes.accessToken = 0 }) { identity in
            let tokens = try await identity.tokens()
            #expect(tokens.members["expires_in"] == 0)
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .unauthorized
            )
        }
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            await identity.server.expireAccessTokens()
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .unauthorized
            )
            #expect(try await identity.refresh(tokens.refresh).status == .ok)
        }
    }

    @Test func `Revoking an access token affects only that token; revoking a refresh token revokes the grant`()
        async throws
    {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            let form = ["client_id": "pub", "token": tokens.access]
            #expect(try await identity.post("/revoke", form).status == .ok)
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .unauthorized
            )
            let next = try TestTokens(try await identity.refresh(tokens.refresh))
            let second = ["client_id": "pub", "token": next.refresh, "token_type_hint": "access_token"]
            #expect(try await identity.post("/revoke", second).status == .ok)
            #expect(
                try await identity.get("/protected", authorization: "Bearer \(next.access)").status == .unauthorized
            )
            #expect(try await identity.refresh(next.refresh).refusal == "invalid_grant")
            #expect(try await identity.post("/revoke", ["client_id": "pub", "token": "nothing"]).status == .ok)
        }
    }

    @Test func `Another client cannot revoke a token`() async throws {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            for token in [tokens.access, tokens.refresh] {
                let response = try await identity.post("/revoke", ["token": token], basic: "conf:s3cret-conf")
                #expect(response.status == .badRequest)
            }
            #expect(try await identity.get("/protected", authorization: "Bearer \(tokens.access)").status == .ok)
        }
    }

    @Test func `Introspection describes valid tokens to confidential clients and reports others only as inactive`()
        async throws
    {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            func ask(_ token: String) async throws -> [String: JsonValue] {
                try await identity.post("/introspect", ["token": token], basic: "conf:s3cret-conf").members
            }
            let access = try await ask(tokens.access)
            #expect(access["active"] == true)
            #expect(access["username"] == "alice")
            #expect(access["scope"] == "openid profile api")
            #expect(access["token_type"] == "Bearer")
            #expect(access["exp"]?.integer == 1_800_000_300)
            #expect(try await ask(tokens.refresh)["active"] == true)
            #expect(try await ask("nothing") == ["active": false])
            let next = try TestTokens(try await identity.refresh(tokens.refresh))
            #expect(try await ask(tokens.refresh) == ["active": false])
            identity.clock.advance(301)
            #expect(try await ask(next.access) == ["active": false])
            let public0 = try await identity.post("/introspect", ["token": next.access, "client_id": "pub"])
            #expect(public0.refusal == "invalid_client")
        }
    }

    @Test func `The introspection path is configurable, and introspection returns the client's configured claims`()
        async throws
    {
        try await TestIdentity.with({
            $0.introspectionPath = "/api/v1/token/introspect"
            $0.clients[0].tokenClaims = [
                "app_identifier": "com.example.app", "app_platform": "ios", "app_version": "2.1",
            ]
        }) { identity in
            let tokens = try await identity.tokens()
            let metadata = try await identity.get("/.well-known/openid-configuration", authorization: nil).members
            #expect(metadata["introspection_endpoint"] == "http://127.0.0.1/api/v1/token/introspect")
            let form = ["token": tokens.access]
            let answer = try await identity.post("/api/v1/token/introspect", form, basic: "conf:s3cret-conf").members
            let claims = try JsonWebSignature(parsing: tokens.access).claims()
            for members in [answer, claims] {
                #expect(members["client_id"] == "pub")
                #expect(members["sub"] == "alice")
                #expect(members["amr"] == ["pwd"])
                #expect(members["app_identifier"] == "com.example.app")
                #expect(members["app_platform"] == "ios")
                #expect(members["app_version"] == "2.1")
            }
            #expect(answer["active"] == true)
            #expect(try JsonWebSignature(parsing: tokens.id).claims()["amr"] == ["pwd"])
            #expect(try await identity.post("/introspect", form, basic: "conf:s3cret-conf").status == .notFound)
        }
    }

    @Test func `Introspection works over HTTP with a running gateway`() async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        configuration.introspectionPath = "/api/v1/token/introspect"
        let server = try AuthorizationServer(configuration)
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
            let client = HttpClient()
            defer { client.close() }
            func post(_ path: String, _ form: [String: String]) async throws -> [String: JsonValue] {
                let response = try await client.request { request in
                    request.url = address.baseURL + path
                    request.form(parameters: form)
                    request.setHeader(
                        name: "Authorization",
                        value: "Basic \(Data("conf:s3cret-conf".utf8).base64EncodedString())"
                    )
                }
                return try JSONDecoder().decode([String: JsonValue].self, from: Data(response.bodyAsString().utf8))
            }
            let tokens = try await post("/token", ["grant_type": "client_credentials", "scope": "api"])
            let token = try #require(tokens["access_token"]?.string)
            let answer = try await post("/api/v1/token/introspect", ["token": token])
            #expect(answer["active"] == true)
            #expect(answer["scope"] == "api")
            #expect(answer["amr"] == nil)
            #expect(try await post("/api/v1/token/introspect", ["token": "unknown"]) == ["active": false])
        }
    }

    @Test func `A user's tokens are retained if a client exceeds the number of grants that the server can hold`()
        async throws
    {
        try await TestIdentity.with { identity in
            let tokens = try await identity.tokens()
            await identity.server.beginGrants(66_400, of: "greedy")
            let call = try await identity.get("/protected", authorization: "Bearer \(tokens.access)")
            #expect(call.status == .ok)
            #expect(try await identity.refresh(tokens.refresh).status == .ok)
            #expect(await identity.server.grantCount <= 65_536)
        }
    }
}

extension AuthorizationServer {
    /// Begins grants of a client without a user.
    fileprivate func beginGrants(_ count: Int, of client: String) {
        for number in 0..<count {
            begin(
                Grant(
                    id: "\(number)",
                    clientID: client,
                    username: nil,
                    subject: client,
                    scopes: ["api"],
                    issuerPath: ""
                )
            )
        }
    }
}
