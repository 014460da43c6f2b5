import Foundation
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct DeviceTests {
    private struct Device {
        let identity: TestIdentity
        let members: [String: JsonValue]
        private let token: String
        var userCode: String { members["user_code"]?.string ?? "" }

        init(
            _ identity: TestIdentity,
            paths: String = "",
            endpoint: String = "/device_authorization",
            token: String = "/token"
        ) async throws {
            self.identity = identity
            self.token = paths + token
            let form = ["client_id": "pub", "scope": "openid api"]
            let response = try await identity.post(paths + endpoint, form)
            #expect(response.status == .ok)
            members = response.members
        }

        func form(_ client: String = "pub") -> [String: String] {
            [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": client,
                "device_code": members["device_code"]?.string ?? "",
            ]
        }

        func poll(_ client: String = "pub") async throws -> TestResponse {
            try await identity.post(token, form(client))
        }

        /// Goes through the pages with a new browser, and returns the consent page or the page shown instead of it.
        func ask(_ code: String? = nil, browser: TestBrowser? = nil) async throws -> (TestBrowser, TestResponse) {
            let browser = browser ?? TestBrowser(identity)
            var page = try await browser.get("/device")
            page = try await browser.answer(page, ["user_code": code ?? userCode])
            if page.form?.action == "/device/login" {
                page = try await browser.answer(page, ["username": "alice", "password": "wonderland"])
            }
            return (browser, page)
        }
    }

    @Test func `A device shows a user code and receives tokens once after the user approves it`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            #expect(device.userCode.wholeMatch(of: /[B-Z]{4}-[B-Z]{4}/) != nil)
            #expect(device.members["verification_uri"] == "http://127.0.0.1/device")
            #expect(
                device.members["verification_uri_complete"]?.string
                    == "http://127.0.0.1/device?user_code=\(device.userCode)"
            )
            #expect(try await device.poll().refusal == "authorization_pending")
            let (browser, page) = try await device.ask()
            #expect(page.form?.action == "/device/consent")
            #expect(page.text.contains("Public client"))
            let end = try await browser.answer(page, ["decision": "allow"])
            #expect(end.status == .ok)
            #expect(end.text.contains("connected"))
            identity.clock.advance(5)
            let tokens = try TestTokens(try await device.poll())
            #expect(tokens.members["scope"] == "openid api")
            #expect(try JsonWebSignature(parsing: tokens.id).claims()["sub"] == "alice")
            #expect(try await identity.refresh(tokens.refresh).status == .ok)
            #expect(try await device.poll().refusal == "invalid_grant")
        }
    }

    @Test func `A device at the paths of a realm receives tokens of the realm's issuer`() async throws {
        try await TestIdentity.with { identity in
            let paths = "/oauth2/realms/alpha"
            let device = try await Device(identity, paths: paths, endpoint: "/device/code", token: "/access_token")
            let (browser, page) = try await device.ask()
            _ = try await browser.answer(page, ["decision": "allow"])
            let own = try await identity.post("/token", device.form())
            #expect(own.refusal == "invalid_grant")
            let tokens = try TestTokens(try await device.poll())
            let issuer: JsonValue = .string("http://127.0.0.1" + paths)
            #expect(try JsonWebSignature(parsing: tokens.id).claims()["iss"] == issuer)
            #expect(try JsonWebSignature(parsing: tokens.access).claims()["iss"] == issuer)
            #expect(try await identity.refresh(tokens.refresh).refusal == "invalid_grant")
            let form = ["grant_type": "refresh_token", "refresh_token": tokens.refresh, "client_id": "pub"]
            _ = try TestTokens(try await identity.post(paths + "/access_token", form))
        }
    }

    @Test func `A device receives access_denied if the user denies it`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            let (browser, page) = try await device.ask()
            #expect(try await browser.answer(page, ["decision": "deny"]).text.contains("You denied the request."))
            #expect(try await device.poll().refusal == "access_denied")
        }
    }

    @Test func `A device that polls too early is slowed down by five seconds each time`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            #expect(try await device.poll().refusal == "authorization_pending")
            identity.clock.advance(4)
            #expect(try await device.poll().refusal == "slow_down")
            identity.clock.advance(6)
            #expect(try await device.poll().refusal == "slow_down")
            identity.clock.advance(15)
            #expect(try await device.poll().refusal == "authorization_pending")
        }
    }

    @Test func `An expired user code cannot be approved, and the device receives expired_token`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            identity.clock.advance(601)
            #expect(try await device.ask().1.text.contains("no device with this code"))
            #expect(await identity.server.approveDevice(userCode: device.userCode, as: "alice") == false)
            #expect(try await device.poll().refusal == "expired_token")
            #expect(try await device.poll().refusal == "invalid_grant")
        }
    }

    @Test func `A user code can be typed in any case, with or without dashes and spaces`() async throws {
        try await TestIdentity.with { identity in
            for change in [
                { $0.lowercased() }, { $0.filter { $0 != "-" } }, { " \($0.map(String.init).joined(separator: " "))" },
            ]
                as [@Sendable (String) -> String]
            {
                let device = try await Device(identity)
                let (_, page) = try await device.ask(change(device.userCode))
                #expect(page.form?.action == "/device/consent")
            }
        }
    }

    @Test func `After ten wrong user codes, no user code is accepted for ten minutes`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            let browser = TestBrowser(identity)
            for _ in 0..<10 {
                #expect(try await device.ask("BBBB-BBBB", browser: browser).1.text.contains("no device with this code"))
            }
            #expect(try await device.ask(browser: browser).1.text.contains("no device with this code"))
            #expect(try await device.ask(browser: TestBrowser(identity)).1.text.contains("no device with this code"))
            identity.clock.advance(601)
            let another = try await Device(identity)
            #expect(try await another.ask(browser: browser).1.form?.action == "/device/consent")
        }
    }

    @Test func `The device page does not reveal before the login whether a user code exists`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            for code in [device.userCode, "BBBB-BBBB"] {
                let browser = TestBrowser(identity)
                let page = try await browser.answer(try await browser.get("/device"), ["user_code": code])
                #expect(page.form?.action == "/device/login")
            }
        }
    }

    @Test func `A device cannot be approved with a form of another browser`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            let (browser, page) = try await device.ask()
            let another = TestBrowser(identity)
            _ = try await another.signIn(TestIdentity.request())
            browser.cookie = another.cookie
            #expect(try await browser.answer(page, ["decision": "allow"]).status == .badRequest)
            #expect(try await device.poll().refusal == "authorization_pending")
        }
    }

    @Test func `Another client cannot use the device code, and the URL's user code is filled in`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            let form = [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                "device_code": device.members["device_code"]?.string ?? "",
            ]
            #expect(try await identity.post("/token", form, basic: "conf:s3cret-conf").refusal == "invalid_grant")
            let page = try await TestBrowser(identity).get("/device?user_code=\(device.userCode)")
            #expect(page.text.contains("value=\"\(device.userCode)\""))
        }
    }

    @Test func `A device can be approved in-process once, for an existing user`() async throws {
        try await TestIdentity.with { identity in
            let device = try await Device(identity)
            #expect(await identity.server.approveDevice(userCode: device.userCode, as: "bob") == false)
            #expect(await identity.server.approveDevice(userCode: device.userCode, as: "alice"))
            #expect(await identity.server.approveDevice(userCode: device.userCode, as: "alice") == false)
            _ = try TestTokens(try await device.poll())
        }
    }
}
