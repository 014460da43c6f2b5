import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct DeviceRegistrationTests {
    @Test func `A device registers with a software statement, whose claims take precedence`() async throws {
        try await TestIdentity.with({ $0.allowsRegistration = false }) { identity in
            var device = try TestDevice(identity)
            let changes: [String: JsonValue?] = [
                "software_id": "com.example.other", "software_version": "9.9", "client_name": "Bank",
            ]
            let response = try await device.register(changes)
            #expect(response.status == .created)
            let members = response.members
            #expect(members["software_id"] == "com.example.app")
            #expect(members["software_version"] == "1.0")
            #expect(members["app_identifier"] == "com.example.app")
            #expect(members["app_version"] == "1.0")
            #expect(members["app_platform"] == "linux")
            #expect(members["client_name"] == "com.example.app")
            #expect(members["client_secret"] == nil)
            #expect(members["scope"] == "openid profile email offline_access api accounts greeting assets")
            let devices = await identity.server.devices
            #expect(
                devices == [
                    RegisteredDevice(
                        clientID: device.clientID,
                        appIdentifier: "com.example.app",
                        appVersion: "1.0",
                        platform: "linux",
                        users: []
                    )
                ]
            )
        }
    }

    @Test func `A device that repeats its registration keeps its identifier and its users`() async throws {
        try await TestIdentity.with { identity in
            var device = try await TestDevice.registered(identity)
            let (id, token) = (device.clientID, device.token)
            _ = try await device.signIn()
            let statement = try await GatewayApplication.developmentStatement(version: "1.1", platform: "linux")
            let again = try await device.register(["software_statement": .string(statement)])
            #expect(again.status == .ok)
            #expect(device.clientID == id)
            #expect(device.token != token)
            let devices = await identity.server.devices
            #expect(devices.map(\.appVersion) == ["1.1"])
            #expect(devices.map(\.users) == [["alice"]])
            #expect(try await device.implicitToken().status == .ok)
        }
    }

    @Test func `A registration lasts a year, unlike that of other clients`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            #expect(try await device.clientCredentials().status == .ok)
            identity.clock.advance(364 * 24 * 3600)
            #expect(try await device.clientCredentials().status == .ok)
            identity.clock.advance(2 * 24 * 3600)
            #expect(try await device.clientCredentials().reason == "device_deregistered")
            #expect(await identity.server.devices.isEmpty)
        }
    }

    @Test func `The registration of a device that does not authenticate ends after a day`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            var used = try await TestDevice.registered(identity)
            #expect(try await used.clientCredentials().status == .ok)
            identity.clock.advance(24 * 3600 + 1)
            #expect(try await device.clientCredentials().reason == "device_deregistered")
            #expect(await identity.server.devices.map(\.clientID) == [used.clientID])
            // Its key is still known.
            #expect(try await used.register().status == .ok)
        }
    }

    @Test func `A key registers for one app`() async throws {
        var other = try GatewayApplication.development()
        other.identifier = "com.example.other"
        try await TestIdentity.with({ [other] in $0.applications.append(other) }) { identity in
            let statement = try await GatewayApplication.developmentStatement(
                for: "com.example.other",
                version: "1.0",
                platform: "linux"
            )
            let withoutStatement: [String: JsonValue?] = [
                "software_statement": nil, "grant_types": ["authorization_code"], "scope": "openid",
            ]
            var device = try await TestDevice.registered(identity)
            _ = try await device.signIn()
            let others: [[String: JsonValue?]] = [["software_statement": .string(statement)], withoutStatement]
            for changes in others {
                let refused = try await device.register(changes)
                #expect(refused.status == .badRequest)
                #expect(refused.refusal == "invalid_client_metadata")
            }
            #expect(await identity.server.devices.map(\.appIdentifier) == ["com.example.app"])
            #expect(try await device.implicitToken().status == .ok)

            var client = try TestDevice(identity)
            #expect(try await client.register(withoutStatement).status == .created)
            #expect(try await client.register().refusal == "invalid_client_metadata")
        }
    }

    @Test func `A proof registers once`() async throws {
        try await TestIdentity.with { identity in
            let device = try TestDevice(identity)
            var headers: HTTPFields = [.contentType: "application/json"]
            headers[try #require(HTTPField.Name("DPoP"))] = try await device.proof("POST", "/register")
            let body = try JSONEncoder().encode(try await device.metadata())
            var responses: [TestResponse] = []
            for _ in 0..<2 {
                responses.append(
                    try await identity.client.execute(
                        uri: "/register",
                        method: .post,
                        headers: headers,
                        body: .init(bytes: body)
                    )
                )
            }
            #expect(responses.map(\.status) == [.created, .badRequest])
            #expect(responses[1].refusal == "invalid_dpop_proof")
        }
    }

    @Test func `A device has few assertions of a short lifetime, and none of others`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let path = "/api/v1/device/users"
            #expect(try await device.post(path, [:], lifetime: 301).refusal == "invalid_client")
            for _ in 0..<128 { #expect(try await device.post(path, [:], lifetime: 300).status == .ok) }
            #expect(try await device.post(path, [:]).refusal == "invalid_client")
            let other = try await TestDevice.registered(identity)
            #expect(try await other.post(path, [:]).status == .ok)
            identity.clock.advance(301)
            #expect(try await device.post(path, [:]).status == .ok)
        }
    }

    @Test func `A device that is deregistered during a token request gets no active token`() async throws {
        try await TestIdentity.with { identity in
            for round in 0..<20 {
                let device = try await TestDevice.registered(identity)
                async let response = device.clientCredentials()
                for _ in 0..<round { await Task.yield() }
                await identity.server.deregisterDevice(device.clientID)
                let token = try await response.accessToken
                #expect(await identity.server.claims(ofAccessToken: token) == nil)
            }
        }
    }

    @Test func `A registration without a proof, or with the proof of another key, is refused`() async throws {
        try await TestIdentity.with { identity in
            var device = try TestDevice(identity)
            #expect(try await device.register(isProven: false).refusal == "invalid_dpop_proof")
            #expect(try await device.register(proof: try TestProof(identity)).refusal == "invalid_dpop_proof")
            #expect(await identity.server.devices.isEmpty)
        }
    }

    @Test func `Metadata that a device must not have is refused`() async throws {
        try await TestIdentity.with { identity in
            let other = try #require(try TestProof(identity).key.publicJsonWebKey)
            var device = try TestDevice(identity)
            let own = try #require(device.proof.key.publicJsonWebKey)
            let cases: [[String: JsonValue?]] = [
                ["token_endpoint_auth_method": "client_secret_basic"], ["token_endpoint_auth_method": "none"],
                ["grant_types": ["urn:ietf:params:oauth:grant-type:token-exchange"]], ["scope": "openid root"],
                ["jwks": ["keys": [.object(own.members), .object(other.members)]]], ["jwks": nil],
            ]
            for changes in cases {
                let response = try await device.register(changes)
                #expect(response.status == .badRequest)
                #expect(response.refusal == "invalid_client_metadata", "\(changes)")
            }
            #expect(await identity.server.devices.isEmpty)
        }
    }

    @Test func `A device can register for some scopes only`() async throws {
        try await TestIdentity.with { identity in
            var device = try TestDevice(identity)
            _ = try await device.register(["scope": "openid assets"])
            #expect(try await device.clientCredentials().members["scope"] == "assets")
            #expect(try await device.clientCredentials(["scope": "api"]).refusal == "invalid_scope")
        }
    }

    @Test func `Without a software statement, a client cannot register for implicit authentication`() async throws {
        try await TestIdentity.with { identity in
            var device = try TestDevice(identity)
            let response = try await device.register(["software_statement": nil, "scope": "openid"])
            #expect(response.status == .badRequest)
            #expect(response.refusal == "invalid_software_statement")
        }
        try await TestIdentity.with({ $0.allowsRegistration = false }) { identity in
            var device = try TestDevice(identity)
            #expect(try await device.register(["software_statement": nil]).status == .forbidden)
        }
    }

    @Test func `A device that deletes its registration loses its tokens, and can register again with its key`()
        async throws
    {
        try await TestIdentity.with { identity in
            var device = try await TestDevice.registered(identity)
            let id = device.clientID
            let own = try await device.clientCredentials().accessToken
            let user = try await device.signIn().accessToken
            let implicit = try await device.implicitToken().accessToken
            let resources = [
                ("/resources/assets", own), ("/resources/accounts", user), ("/resources/greeting", implicit),
            ]
            for (path, token) in resources { #expect(try await device.get(path, token).status == .ok) }
            #expect(try await device.deregister().status == .noContent)
            for (path, token) in resources { #expect(try await device.get(path, token).status == .unauthorized) }
            let refused = try await device.clientCredentials()
            #expect(refused.status == .unauthorized)
            #expect(refused.refusal == "invalid_client")
            #expect(refused.reason == "device_deregistered")
            #expect(try await device.register().status == .created)
            #expect(device.clientID != id)
            #expect(try await device.clientCredentials().status == .ok)
            #expect(try await device.implicitToken().reason == "user_not_registered")
        }
    }

    @Test func `An operator deregisters a device`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let token = try await device.clientCredentials().accessToken
            #expect(await identity.server.deregisterDevice(device.clientID))
            #expect(await identity.server.deregisterDevice(device.clientID) == false)
            #expect(await identity.server.deregisterDevice("conf") == false)
            #expect(try await device.get("/resources/assets", token).status == .unauthorized)
            #expect(try await device.clientCredentials().reason == "device_deregistered")
            #expect(try await device.deregister().status == .unauthorized)
        }
    }

    @Test func `A wrong assertion of a registered device is not reported as a deregistration`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            var stranger = try TestDevice(identity)
            _ = try await stranger.register()
            // The assertion of the stranger's key has the identifier of the device.
            let claims: [String: JsonValue] = [
                "iss": .string(device.clientID), "sub": .string(device.clientID), "aud": "http://127.0.0.1",
                "jti": "1", "exp": .integer(1_800_000_060),
            ]
            let response = try await identity.post(
                "/token",
                [
                    "grant_type": "client_credentials",
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    "client_assertion": try JsonWebSignature.sign(claims, with: stranger.proof.key),
                ]
            )
            #expect(response.refusal == "invalid_client")
            #expect(response.reason == nil)
        }
    }

    @Test func `The metadata lists the endpoints and the grant type only if there are apps`() async throws {
        let path = "/.well-known/openid-configuration"
        try await TestIdentity.with({ $0.allowsRegistration = false }) { identity in
            let metadata = try await identity.get(path, authorization: nil).members
            #expect(metadata["registration_endpoint"] == "http://127.0.0.1/register")
            #expect(metadata["device_users_endpoint"] == "http://127.0.0.1/api/v1/device/users")
            #expect(metadata["grant_types_supported"]?.array?.contains(.string(TestDevice.implicitGrant)) == true)
        }
        try await TestIdentity.with({ $0.applications = [] }) { identity in
            let metadata = try await identity.get(path, authorization: nil).members
            #expect(metadata["device_users_endpoint"] == nil)
            #expect(metadata["grant_types_supported"]?.array?.contains(.string(TestDevice.implicitGrant)) == false)
        }
    }

    @Test func `Outdated versions can neither register nor request tokens`() async throws {
        let minimum = MinimumVersions(
            appIdentifier: "com.example.app",
            appVersion: "2.0",
            systemVersions: ["linux": "6"]
        )
        try await TestIdentity.with({ $0.minimumVersions = [minimum] }) { identity in
            var device = try TestDevice(identity)
            let refused = try await device.register()
            #expect(refused.status == .badRequest)
            #expect(refused.refusal == "outdated_app")
            #expect(refused.members["minimum_version"] == "2.0")
            let newer = "com.example.app/2.0 (linux 6.1) sallyport/0.1.0"
            #expect(try await device.register(userAgent: newer).status == .created)
            let form = ["grant_type": "client_credentials"]
            #expect(try await device.post("/token", form).refusal == "outdated_app")
            let old = "com.example.app/2.0 (linux 5.15) sallyport/0.1.0"
            let response = try await device.post("/token", form, userAgent: old)
            #expect(response.status == .badRequest)
            #expect(response.refusal == "outdated_os")
            #expect(response.members["minimum_version"] == "6")
            #expect(try await device.post("/api/v1/device/users", [:], userAgent: old).refusal == "outdated_os")
            let sub = ["sub": "alice"]
            #expect(try await device.post("/api/v1/device/users/deregister", sub, userAgent: old).status == .ok)
            #expect(try await device.post("/token", form, userAgent: newer).status == .ok)
        }
    }
}
