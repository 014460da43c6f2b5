import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct DiscoveryTests {
    @Test func `Both metadata URLs return the same document, and each endpoint exists`() async throws {
        try await TestIdentity.with { identity in
            let response = try await identity.get("/.well-known/openid-configuration", authorization: nil)
            let other = try await identity.get("/.well-known/oauth-authorization-server", authorization: nil)
            #expect(response.status == .ok)
            #expect(response.members == other.members)
            #expect(response.members["issuer"] == "http://127.0.0.1")
            #expect(response.members["code_challenge_methods_supported"] == ["S256"])
            let endpoints = response.members.filter { $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri" }
            #expect(endpoints.count == 11)
            for (name, value) in endpoints {
                let path = String(try #require(value.string).dropFirst("http://127.0.0.1".count))
                let get = try await identity.get(path, authorization: nil)
                let post = try await identity.post(path, [:])
                #expect(get.status != .notFound || post.status != .notFound, "\(name)")
            }
        }
    }

    @Test func `A rotated key is published before it signs, and the old key while its tokens may be valid`()
        async throws
    {
        try await TestIdentity.with { identity in
            func keyIDs() async -> [String?] { await identity.server.publishedKeys().keys.map(\.keyID) }
            func signer() async throws -> String? {
                try JsonWebSignature(parsing: try await identity.tokens().id).keyID
            }
            let first = try await signer()
            #expect(await keyIDs() == [first])
            try await identity.server.rotateSigningKeys(lead: 60)
            let published = await keyIDs()
            #expect(published.count == 2 && published.first == first)
            #expect(try await signer() == first)
            identity.clock.advance(61)
            #expect(try await signer() == published.last)
            #expect(await keyIDs() == published)
            identity.clock.advance(24 * 3600 - 61)
            let later = await keyIDs()
            #expect(later.contains(first))
            identity.clock.advance(120)
            #expect(await keyIDs().contains(first) == false)
        }
    }

    @Test func `Signing keys rotate daily, and a new key is published a minute before it signs`() async throws {
        try await TestIdentity.with { (identity) async throws in
            let first = await identity.server.publishedKeys().keys.map(\.keyID)
            identity.clock.advance(24 * 3600 - 30)
            let both = await identity.server.publishedKeys().keys.map(\.keyID)
            #expect(both.count == 2)
            #expect(try JsonWebSignature(parsing: try await identity.tokens().id).keyID == first[0])
            identity.clock.advance(60)
            #expect(try JsonWebSignature(parsing: try await identity.tokens().id).keyID == both[1])
        }
    }

    @Test func `Development calls need a header that a web page cannot send, and can be disabled`() async throws {
        try await TestIdentity.with { identity in
            let token = try await identity.tokens().access
            let plain = try await identity.post("/development/expire-access-tokens", [:])
            #expect(plain.status == .forbidden)
            let headers: HTTPFields = [HTTPField.Name("X-Sallyport-Development")!: "1"]
            for path in ["/development/expire-access-tokens", "/development/rotate-keys?lead=5"] {
                let response = try await identity.client.execute(uri: path, method: .post, headers: headers)
                #expect(response.status == .noContent)
            }
            #expect(try await identity.get("/protected", authorization: "Bearer \(token)").status == .unauthorized)
            #expect(await identity.server.publishedKeys().keys.count == 2)
        }
        try await TestIdentity.with({ $0.allowsDevelopmentCalls = false }) { (identity) async throws in
            #expect(try await identity.post("/development/expire-access-tokens", [:]).status == .notFound)
        }
    }

    @Test func `The statistics contain the numbers of issued tokens and refusals`() async throws {
        try await TestIdentity.with({ $0.lifetimes.refreshTokenReuse = 0 }) { identity in
            let tokens = try await identity.tokens()
            _ = try await identity.refresh(tokens.refresh)
            _ = try await identity.refresh(tokens.refresh)
            let response = try await identity.get("/statistics", authorization: nil)
            #expect(response.members["grants"] == ["authorization_code": 1, "refresh_token": 1])
            #expect(response.members["refusals"] == ["invalid_grant": 1])
        }
    }

    @Test func `The issuer of a running gateway is its own base URL`() async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let server = try AuthorizationServer(configuration)
        try await Gateway.withRunning(GatewayConfiguration(authorizationServer: server)) { address in
            #expect(await server.issuer == address.baseURL)
            let answer = try await exchange(
                port: address.port,
                "GET /.well-known/openid-configuration HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
            #expect(answer.contains("\"issuer\":\"\(address.baseURL)\""))
        }
    }
}
