import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct DeviceTests {
    private let identity: MockIdentityServer
    private let time = Locked(MockIdentityServer.now)
    private let waits = Locked<[Duration]>([])

    init() throws {
        identity = try MockIdentityServer()
        answerDevice("")
    }

    private func answerDevice(_ more: String) {
        identity.transport.on(
            .post,
            "/device",
            .json(
                """
                {"device_code": "device-1", "user_code": "WDJB-MJHT", \
                "verification_uri": "https://id.example.com/go", "expires_in": 600\(more)}
                """
            )
        )
    }

    /// Returns a client whose sleeps only advance its clock.
    private func client() -> OAuthClient {
        identity.client { config in
            let sleep = { @Sendable [time, waits] (wait: Duration) async throws in
                try Task.checkCancellation()
                time.withLock { $0 += wait / .seconds(1) }
                waits.withLock { $0.append(wait) }
            }
            config.clock = .immediate(date: { [time] in time.withLock { $0 } }, sleep: sleep)
        }
    }

    private var seconds: [Int] { waits.withLock { $0.map { Int($0 / .seconds(1)) } } }

    @Test
    func `A device authorization contains the user code and verification URLs, and its description no device code`()
        async throws
    {
        answerDevice(#", "interval": 3, "verification_uri_complete": "https://id.example.com/go?c=WDJB-MJHT""#)
        let device = try await client().deviceAuthorization()
        #expect(device.userCode == "WDJB-MJHT")
        #expect(device.verificationURI == "https://id.example.com/go")
        #expect(device.verificationURIComplete == "https://id.example.com/go?c=WDJB-MJHT")
        #expect(device.interval == .seconds(3))
        #expect(device.expiresAt == MockIdentityServer.now.addingTimeInterval(600))
        #expect(identity.forms("/device") == [["client_id": "app", "scope": "openid api"]])
        #expect(!"\(device) \(String(reflecting: device))".contains("device-1"))
    }

    @Test func `A device polls every five seconds until it is approved`() async throws {
        let pending = MockResponse.refusal("authorization_pending")
        identity.answerTokens(pending, pending, .tokens())
        let client = client()
        let tokens = try await client.tokens(for: client.deviceAuthorization())
        #expect(tokens.accessToken == "access-1")
        #expect(tokens.scope == "openid api")
        #expect(seconds == [5, 5, 5])
        let form = identity.forms("/token").last
        #expect(form?["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(form?["device_code"] == "device-1")
    }

    @Test func `Each slow_down error permanently adds five seconds to the polling interval`() async throws {
        let pending = MockResponse.refusal("authorization_pending")
        let slowDown = MockResponse.refusal("slow_down")
        identity.answerTokens(slowDown, pending, slowDown, pending, .tokens())
        answerDevice(#", "interval": 1"#)
        let client = client()
        _ = try await client.tokens(for: client.deviceAuthorization())
        #expect(seconds == [1, 6, 6, 11, 11])
    }

    @Test func `The polling interval doubles up to one minute while the server does not respond or is overloaded`()
        async throws
    {
        let failures: [MockResponse] = [
            .fail(.timeout("none")), .fail(.connectionFailed("none")), .fail(.hostNotFound("none")), .status(503),
            .status(429), .refusal("authorization_pending"),
        ]
        let next = Locked(0)
        identity.transport.on(.post, "/token") { _ in
            let index = next.withLock { count in
                defer { count += 1 }
                return count
            }
            return index < failures.count ? failures[index] : .tokens()
        }
        let client = client()
        _ = try await client.tokens(for: client.deviceAuthorization())
        #expect(seconds == [5, 10, 20, 40, 60, 60, 5])
    }

    @Test(arguments: ["access_denied", "expired_token", "invalid_grant", "invalid_client"])
    func `Any other error ends polling`(word: String) async throws {
        identity.answerTokens(.refusal("authorization_pending"), .refusal(word))
        let client = client()
        let device = try await client.deviceAuthorization()
        let error = try await oauthError { _ = try await client.tokens(for: device) }
        #expect(error.error == word)
        #expect(identity.forms("/token").count == 2)
    }

    @Test func `Polling ends when the device code expires`() async throws {
        identity.answerTokens(.refusal("authorization_pending"))
        let client = client()
        let device = try await client.deviceAuthorization()
        let error = try await oauthError { _ = try await client.tokens(for: device) }
        #expect(error.isExpired)
        #expect(error.description == "the device was not approved in time (expired_token); start the login again")
        #expect(identity.forms("/token").count == 120)
    }

    @Test func `A redeemed device code is not sent again if the server's keys cannot be fetched`() async throws {
        try await identity.answerTokens(idToken: [:])
        identity.transport.on(.get, "/keys", .fail(.connectionLost("it broke")))
        let client = client()
        let device = try await client.deviceAuthorization()
        await expectError(\NetworkError.kind, "connectionLost") { try await client.tokens(for: device) }
        #expect(identity.transport.requests.count { $0.head.path == "/token" } == 1)
    }

    @Test func `Cancelling the task ends polling`() async throws {
        identity.answerTokens(.refusal("authorization_pending"))
        let client = identity.client {
            $0.clock = .immediate(date: { MockIdentityServer.now }, sleep: TimeSource.system.sleep)
        }
        let device = try await client.deviceAuthorization()
        let task = Task { try await client.tokens(for: device) }
        task.cancel()
        do {
            _ = try await task.value
            Issue.record("it was not cancelled")
        } catch NetworkError.cancelled {
        }
        #expect(identity.forms("/token").isEmpty)
    }

    @Test(arguments: [
        (#"{"device_code": "d", "user_code": "u"}"#, "device_code"), (#"{"user_code": "u"}"#, "device_code"),
        ("{}", "device_code"), ("[]", "JSON"),
    ])
    func `An incomplete device authorization response is refused`(json: String, reason: String) async throws {
        identity.transport.on(.post, "/device", .json(json))
        let error = try await oauthError { _ = try await client().deviceAuthorization() }
        #expect(error.failure.reason.contains(reason))
    }

    @Test(arguments: ["javascript:alert(1)", "http://id.example.com/go", "file:///etc/passwd"])
    func `A verification URL that is not an https URL is refused`(uri: String) async throws {
        answerDevice(#", "verification_uri_complete": "\#(uri)""#)
        let error = try await oauthError { _ = try await client().deviceAuthorization() }
        #expect(error.description.contains("the verification_uri cannot be used"))
    }

    @Test func `The interval and the lifetime can be strings, and null is absent`() async throws {
        func device(_ members: String) async throws -> DeviceAuthorization {
            identity.transport.on(
                .post,
                "/device",
                .json(#"{"device_code": "d", "user_code": "u", \#(members)}"#)
            )
            return try await client().deviceAuthorization()
        }
        let texts = try await device(
            #""verification_uri": "https://id.example.com/go", "expires_in": "3", "interval": "8""#
        )
        #expect(texts.interval == .seconds(8))
        #expect(texts.expiresAt == MockIdentityServer.now.addingTimeInterval(3))
        let nulls = try await device(
            #""verification_uri": null, "verification_url": "https://id.example.com/go", "expires_in": null, "#
                + #""interval": null, "error": null"#
        )
        #expect(nulls.verificationURI == "https://id.example.com/go")
        #expect(nulls.interval == .seconds(5))
        #expect(nulls.expiresAt == MockIdentityServer.now.addingTimeInterval(600))
        for name in ["interval", "expires_in"] {
            let error = try await oauthError {
                _ = try await device(#""verification_uri": "https://id.example.com/go", "\#(name)": "soon""#)
            }
            #expect(error.failure.reason == "the \(name) of the response is not a number of seconds")
        }
    }

    @Test func `The polling interval is at least one second, and the lifetime at most one day`() async throws {
        identity.transport.on(
            .post,
            "/device",
            .json(
                """
                {"device_code": "d", "user_code": "u", "verification_uri": "https://id.example.com/go", \
                "expires_in": 1e30, "interval": 0}
                """
            )
        )
        let device = try await client().deviceAuthorization()
        #expect(device.interval == .seconds(1))
        #expect(device.expiresAt == MockIdentityServer.now.addingTimeInterval(86_400))
    }
}
