import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct ConfigurationFileTests {
    private static let hash = "scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    @Test func `A configuration file defines users, clients, lifetimes and algorithms`() throws {
        let json = """
            {"users": [{"username": "bob", "password": "\(Self.hash)", "claims": {"name": "Bob"}}],
             "clients": [
               {"client_id": "app", "token_endpoint_auth_method": "none", "redirect_uris": ["http://127.0.0.1/cb"],
                "grant_types": ["authorization_code", "refresh_token"], "scope": "openid api"},
               {"client_id": "service", "client_secret": "\(Self.hash)", "grant_types": ["client_credentials"],
                "token_exchange_clients": ["app"], "token_claims": {"app_identifier": "x"}}],
             "introspection_path": "/api/v1/token/introspect",
             "registration_scopes": ["openid"],
             "lifetimes": {"access_token": 1, "code": 0.5, "refresh_token_reuse": 0}, "demands_proof_nonces": true, "issuer": "https://id.example.com",
             "signature_algorithms": ["ES384"], "rotates_refresh_tokens": false}
            """
        let configuration = try AuthorizationServerConfiguration(json: Data(json.utf8))
        #expect(configuration.users[0].subject == "bob")
        #expect(configuration.users[0].claims["name"] == "Bob")
        #expect(configuration.clients[0].isPublic)
        #expect(configuration.clients[1].metadata.authenticationMethod == .clientSecretBasic)
        #expect(configuration.clients.map(\.tokenExchangeClients) == [[], ["app"]])
        #expect(configuration.clients[1].tokenClaims == ["app_identifier": "x"])
        #expect(configuration.introspectionPath == "/api/v1/token/introspect")
        #expect(configuration.registrationScopes == ["openid"])
        #expect(configuration.lifetimes.accessToken == 1)
        #expect(configuration.lifetimes.code == 0.5)
        #expect(configuration.lifetimes.refreshTokenReuse == 0)
        #expect(configuration.lifetimes.session == GatewayLifetimes().session)
        #expect(configuration.demandsProofNonces)
        #expect(!configuration.rotatesRefreshTokens)
        #expect(!configuration.allowsRegistration)
        #expect(!configuration.allowsDevelopmentCalls)
        #expect(configuration.signatureAlgorithms == [.es384])
        _ = try AuthorizationServer(configuration)
    }

    @Test func `A file may begin with a byte order mark`() throws {
        func file(_ json: String) -> Data { Data([0xEF, 0xBB, 0xBF]) + Data(json.utf8) }
        let configuration = try AuthorizationServerConfiguration(json: file(#"{"lifetimes": {"code": 5}}"#))
        #expect(configuration.lifetimes.code == 5)
        let resources = try ResourceServerConfiguration(json: file(#"{"resource_policies": []}"#))
        #expect(resources.policies.isEmpty)
        #expect(throws: GatewayError.invalidIdentity("There is no tree in the JSON object.")) {
            try JourneyTrees(json: file("{}"))
        }
    }

    @Test func `A configuration file can set every lifetime`() throws {
        let json = """
            {"lifetimes": {
              "access_token": 1, "refresh_token": 2, "refresh_token_reuse": 3, "id_token": 4, "code": 5,
              "pushed_request": 6, "device_code": 7, "device_interval": 8, "session": 9, "session_idle": 10,
              "journey": 11, "magic_link": 12, "transaction": 13, "lockout": 14, "proof_nonce": 15, "signing_key": 16,
              "device_registration": 17}}
            """
        let lifetimes = try AuthorizationServerConfiguration(json: Data(json.utf8)).lifetimes
        let seconds = Mirror(reflecting: lifetimes).children.compactMap { $0.value as? TimeInterval }
        #expect(seconds == (1...17).map(TimeInterval.init))
    }

    @Test(
        arguments: [
            (
                #"{"clients": [{"client_id": "a", "client_secret": "scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "grant_types": [], "token_exchange_clients": ["b"]}]}"#,
                "token_exchange_clients"
            ),
            ("[", "JSON"), ("{\n\"users\": [],\n}", "line 3, column 1"),
            (#"{"resource_policies": [{"path": "/a", "scope": "a", "path": "/b"}]}"#, "same name, \"path\""),
            (#"{"user": []}"#, "user"), (#"{"users": [{"password": "p4ss"}]}"#, "users[0]"),
            (#"{"users": [{"username": "bob", "password": "p4ss"}]}"#, "hash-password"),
            (#"{"clients": [{"client_id": "a", "grant_types": []}]}"#, "client_secret"),
            (#"{"clients": [{"client_id": "a", "token_endpoint_auth_method": "p4ss"}]}"#, "token_endpoint_auth_method"),
            (#"{"clients": [{"client_id": "a", "token_endpoint_auth_method": "none"}]}"#, "redirect_uris"),
            (#"{"lifetimes": {"refresh_token_reuse": -1}}"#, "lifetimes.refresh_token_reuse"),
            (#"{"lifetimes": {"magic": 1}}"#, #"lifetimes: "magic" is unknown. Known members: access_token, "#),
            (#"{"lifetimes": {"code": -1}}"#, "lifetimes.code"), (#"{"signature_algorithms": []}"#, "private key"),
            (#"{"signature_algorithms": ["HS256"]}"#, "private key"),
            (#"{"introspection_path": "/token"}"#, "introspection_path"),
            (#"{"introspection_path": "introspect"}"#, "introspection_path"),
            (
                #"{"clients": [{"client_id": "a", "grant_types": [], "token_endpoint_auth_method": "none","#
                    + #" "token_claims": {"sub": "p4ss"}}]}"#,
                "claim sub"
            ),
            (
                #"{"clients": [{"client_id": "a", "grant_types": [], "token_endpoint_auth_method": "none"},"#
                    + #"{"client_id": "a", "grant_types": [], "token_endpoint_auth_method": "none"}]}"#,
                "same client_id"
            ),
        ]
    )
    func `The error for an invalid configuration names the member and quotes no secret`(json: String, mention: String) {
        let error = #expect(throws: GatewayError.self) { try AuthorizationServerConfiguration(json: Data(json.utf8)) }
        #expect(error?.description.contains(mention) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("p4ss") == false)
    }
}
