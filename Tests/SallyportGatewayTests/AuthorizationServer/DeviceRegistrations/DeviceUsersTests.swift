import Foundation
import HTTPTypes
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct DeviceUsersTests {
    @Test func `A user who signs in on a device is registered there once`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            #expect(try await device.post("/api/v1/device/users", [:]).members == ["users": []])
            let tokens = try await device.signIn()
            #expect(tokens.status == .ok)
            #expect(tokens.members["refresh_token"] != nil)
            identity.clock.advance(100)
            _ = try await device.signIn()
            let users = try await device.post("/api/v1/device/users", [:])
            #expect(users.members == ["users": [["sub": "alice", "registered_at": 1_800_000_000]]])
            let other = try await TestDevice.registered(identity)
            #expect(try await other.post("/api/v1/device/users", [:]).members == ["users": []])
        }
    }

    @Test func `A registered user gets an implicit token, which is not a login`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            _ = try await device.signIn()
            let response = try await device.implicitToken()
            #expect(response.status == .ok)
            #expect(Set(response.members.keys) == ["access_token", "token_type", "expires_in", "scope"])
            #expect(response.members["scope"] == "greeting")
            let claims = try JsonWebSignature(parsing: response.accessToken).claims()
            #expect(claims["sub"] == "alice")
            #expect(claims["client_id"] == .string(device.clientID))
            #expect(claims["app_identifier"] == "com.example.app")
            for name in ["amr", "acr", "auth_time"] { #expect(claims[name] == nil) }
            #expect(try await device.get("/resources/greeting", response.accessToken).status == .ok)
            let refused = try await device.get("/resources/accounts", response.accessToken)
            #expect(refused.status == .forbidden)
            #expect(refused.refusal == "insufficient_scope")
            let count = await identity.server.statistics.grants[TestDevice.implicitGrant]
            #expect(count == 1)
        }
    }

    @Test func `The implicit grant is refused for users of other devices, unknown users and other scopes`() async throws
    {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            _ = try await device.signIn()
            let other = try await TestDevice.registered(identity)
            for response in [
                try await other.implicitToken(), try await device.implicitToken("bob"),
                try await device.implicitToken(device.clientID),
            ] {
                #expect(response.status == .badRequest)
                #expect(response.refusal == "invalid_grant")
                #expect(response.reason == "user_not_registered")
            }
            #expect(try await device.implicitToken(nil).refusal == "invalid_request")
            for scope in ["accounts", "greeting accounts", "openid", "assets"] {
                #expect(try await device.implicitToken("alice", ["scope": scope]).refusal == "invalid_scope")
            }
        }
    }

    @Test func `Only devices can use the implicit grant and have users`() async throws {
        let implicit = TestDevice.implicitGrant
        try await TestIdentity.with({ $0.clients[1].metadata.grantTypes.append(implicit) }) { identity in
            let form = ["grant_type": implicit, "sub": "alice"]
            let response = try await identity.post("/token", form, basic: "conf:s3cret-conf")
            #expect(response.refusal == "unauthorized_client")
            let users = try await identity.post("/api/v1/device/users", ["sub": "x"], basic: "conf:s3cret-conf")
            #expect(users.refusal == "unauthorized_client")
        }
    }

    @Test func `A device has no scopes of users, and a user none of devices`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            #expect(try await device.clientCredentials().members["scope"] == "assets api")
            for scope in ["accounts", "openid", "greeting"] {
                #expect(try await device.clientCredentials(["scope": scope]).refusal == "invalid_scope")
            }
            let browser = TestBrowser(identity)
            let request = TestIdentity.request(["client_id": device.clientID, "scope": "openid assets"])
            let answer = try await browser.authorize(request).sentBack
            #expect(answer["error"] == "invalid_scope")
        }
    }

    @Test func `A user who is deregistered on the device loses all tokens there`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let other = try await TestDevice.registered(identity)
            let tokens = try await device.signIn().members
            let implicit = try await device.implicitToken().accessToken
            _ = try await other.signIn()
            for _ in 0..<2 {
                let response = try await device.post("/api/v1/device/users/deregister", ["sub": "alice"])
                #expect(response.status == .ok)
                #expect(response.members == [:])
            }
            #expect(try await device.get("/resources/greeting", implicit).status == .unauthorized)
            let access = tokens["access_token"]?.string
            #expect(try await device.get("/resources/accounts", access).status == .unauthorized)
            let refresh = ["grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]?.string ?? ""]
            #expect(try await device.post("/token", refresh).refusal == "invalid_grant")
            #expect(try await device.implicitToken().reason == "user_not_registered")
            #expect(try await other.implicitToken().status == .ok)
            #expect(try await device.post("/api/v1/device/users/deregister", [:]).refusal == "invalid_request")
            #expect(try await device.signIn().status == .ok)
            #expect(try await device.implicitToken().status == .ok)
        }
    }

    @Test func `An operator deregisters a user on one device or on all`() async throws {
        try await TestIdentity.with { identity in
            let devices = [try await TestDevice.registered(identity), try await TestDevice.registered(identity)]
            for device in devices { _ = try await device.signIn() }
            #expect(await identity.server.deregisterUser("alice", onDevice: devices[0].clientID) == 1)
            #expect(try await devices[0].implicitToken().reason == "user_not_registered")
            let token = try await devices[1].implicitToken().accessToken
            #expect(await identity.server.deregisterUser("alice") == 1)
            #expect(try await devices[1].get("/resources/greeting", token).status == .unauthorized)
            #expect(await identity.server.deregisterUser("alice") == 0)
        }
    }

    @Test func `Development calls deregister devices and users`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            _ = try await device.signIn()
            func call(_ uri: String) async throws -> Int {
                let name = try #require(HTTPField.Name("X-Sallyport-Development"))
                return try await identity.client.execute(uri: uri, method: .post, headers: [name: "1"]).status.code
            }
            #expect(try await identity.post("/development/deregister-user?sub=alice", [:]).status == .forbidden)
            #expect(try await call("/development/deregister-user?sub=alice") == 204)
            #expect(try await call("/development/deregister-user?sub=alice") == 404)
            #expect(try await call("/development/deregister-device?client_id=\(device.clientID)") == 204)
            #expect(try await call("/development/deregister-device?client_id=\(device.clientID)") == 404)
        }
    }

    @Test func `A user whose registration has expired loses all tokens on the device too`() async throws {
        try await TestIdentity.with({ $0.lifetimes.deviceRegistration = 1000 }) { identity in
            var device = try await TestDevice.registered(identity)
            let other = try await identity.tokens(["scope": "openid offline_access"])
            let tokens = try await device.signIn().members
            identity.clock.advance(900)
            _ = try await device.register()
            identity.clock.advance(200)
            #expect(try await device.post("/api/v1/device/users", [:]).members == ["users": []])
            #expect(try await device.post("/api/v1/device/users/deregister", ["sub": "alice"]).status == .ok)
            let refresh = ["grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]?.string ?? ""]
            #expect(try await device.post("/token", refresh).refusal == "invalid_grant")
            #expect(await identity.server.deregisterUser("alice") == 0)
            // The grants of clients that are not devices continue.
            #expect(try await identity.refresh(other.refresh).status == .ok)
        }
    }

    @Test func `A code that is used twice deregisters its user`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            let code = try await identity.code(["client_id": device.clientID, "scope": "openid accounts"])
            let form = [
                "grant_type": "authorization_code", "code": code, "redirect_uri": TestDevice.redirectURI,
                "code_verifier": TestIdentity.verifier,
            ]
            #expect(try await device.post("/token", form).status == .ok)
            let implicit = try await device.implicitToken().accessToken
            #expect(try await device.post("/token", form).refusal == "invalid_grant")
            #expect(try await device.get("/resources/greeting", implicit).status == .unauthorized)
            #expect(try await device.implicitToken().reason == "user_not_registered")
        }
    }

    @Test func `A user is registered only for the issuer at which the user signed in`() async throws {
        try await TestIdentity.with { identity in
            let device = try await TestDevice.registered(identity)
            _ = try await device.signIn()
            let form = ["grant_type": TestDevice.implicitGrant, "sub": "alice"]
            let response = try await device.post("/oauth2/realms/alpha/access_token", form)
            #expect(response.refusal == "invalid_grant")
            #expect(response.reason == "user_not_registered")
            #expect(try await device.implicitToken().status == .ok)
        }
    }

    @Test func `The registration of a user ends unless the user signs in again`() async throws {
        try await TestIdentity.with({ $0.lifetimes.deviceRegistration = 1000 }) { identity in
            var device = try await TestDevice.registered(identity)
            _ = try await device.signIn()
            identity.clock.advance(900)
            _ = try await device.register()
            identity.clock.advance(200)
            #expect(try await device.implicitToken().reason == "user_not_registered")
            #expect(try await device.post("/api/v1/device/users", [:]).members == ["users": []])
        }
    }
}
