import Foundation
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct PushClientTests {
    // MARK: Enrollment

    @Test func `Enrolling registers the device at the URL of the code`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        #expect(mechanism.issuer == "Example")
        #expect(mechanism.account == "alice")
        #expect(mechanism.imageURL == "https://id.example.com/logo.png")
        #expect(mechanism.backgroundColor == "032b75")
        #expect("\(mechanism)" == "alice at Example")
        let request = try #require(fixture.server.requests.first)
        #expect(fixture.server.requests.count == 1)
        #expect(request.method == .post)
        #expect(request.url == "https://id.example.com/am/json/push/sns/message?_action=register")
        #expect(request.header("accept-api-version") == "resource=1.0, protocol=1.0")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Cookie") == "amlbcookie=01")
        #expect(request.header("Authorization") == nil)
        let body = try JSONDecoder().decode([String: String].self, from: request.body)
        #expect(Set(body.keys) == ["jwt", "messageId"])
        #expect(body["messageId"] == "REGISTER:1")
        #expect(
            try fixture.sentClaims() == [
                "response": fixture.response, "mechanismUid": .string(mechanism.id), "deviceId": "device-token",
                "deviceName": "laptop", "deviceType": "ios", "communicationType": "apns",
            ]
        )
        #expect(try await fixture.push.mechanisms().map(\.id) == [mechanism.id])
    }

    @Test func `A secret of 16 to 31 bytes is accepted`() async throws {
        let fixture = PushFixture(secret: Data(repeating: 1, count: 16))
        let mechanism = try await fixture.enroll()
        try await fixture.push.approve(
            try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        )
        #expect(try fixture.sentClaims() == ["response": fixture.response])
    }

    @Test func `A combined URI enrolls the push mechanism that it contains`() async throws {
        let fixture = PushFixture()
        let uri = fixture.uri("mfauth://totp/Example:alice", ["secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"])
        #expect(try await fixture.push.enroll(uri, device: PushFixture.device).account == "alice")
    }

    @Test func `A mechanism that the server refuses is removed again`() async throws {
        let fixture = PushFixture(.json(#"{"message": "The code was used."}"#, status: 400))
        let error = await expectError(\MechanismError.reason, .refused) { try await fixture.enroll() }
        #expect(error?.status == 400)
        #expect(error?.description.contains("The code was used.") == true)
        #expect(try await fixture.push.mechanisms().isEmpty)
    }

    @Test(arguments: [
        (NetworkError.timeout("no response"), 1), (.connectionFailed("refused"), 0),
    ])
    func `After a failure, a mechanism remains only if the server may have enrolled it`(
        _ failure: NetworkError,
        _ count: Int
    ) async throws {
        let fixture = PushFixture(.fail(failure))
        await expectError(\MechanismError.reason, .network) { try await fixture.enroll() }
        #expect(try await fixture.push.mechanisms().count == count)
    }

    @Test func `Enrolling the same URI again does not duplicate the mechanism`() async throws {
        let fixture = PushFixture()
        let first = try await fixture.enroll()
        let second = try await fixture.enroll()
        #expect(first.id == second.id)
        #expect(try await fixture.push.mechanisms().count == 1)
    }

    @Test func `A mechanism that was enrolled before remains if it is refused later`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        fixture.server.on(.post, "/**", .status(400))
        await expectError(\MechanismError.reason, .refused) { try await fixture.enroll() }
        #expect(try await fixture.push.mechanisms().map(\.id) == [mechanism.id])
    }

    @Test func `A device without a token is refused before anything is sent`() async {
        let fixture = PushFixture()
        var device = PushFixture.device
        device.token = ""
        await expectError(\MechanismError.reason, .invalidParameter("deviceId")) { [device] in
            try await fixture.push.enroll(fixture.uri(), device: device)
        }
        #expect(fixture.server.requests.isEmpty)
    }

    @Test func `Redirects are not followed`() async {
        let fixture = PushFixture(.redirect(to: "https://other.example.com/", status: 307))
        await expectError(\MechanismError.reason, .refused) { try await fixture.enroll() }
        #expect(fixture.server.requests.count == 1)
    }

    @Test func `Each request has its action, without a payload`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        try await fixture.push.approve(message)
        try await fixture.push.update(PushFixture.device)
        #expect(fixture.actions.actions == [Action(.pushRegister), Action(.pushAuthenticate), Action(.pushUpdate)])
    }

    @Test func `Each push request has its action once, and neither a token nor a cookie of the app's client`()
        async throws
    {
        let fixture = PushFixture()
        let actions = ActionRecorder()
        let oauth = OAuthClient(issuer: "https://id.example.com", clientID: "other")
        let record = TokenRecord(tokens: OAuthTokens(accessToken: "user-token"), client: oauth.identity)
        let session = OAuthSession(refresher: oauth, store: MemoryTokenStore(record))
        let jar = CookieJar()
        jar.store(
            setCookie: ["iPlanetDirectoryPro=user-session; Path=/; Secure"],
            from: try #require(URL(string: "https://id.example.com/"))
        )
        fixture.server.on(.post, "/**", .json("{}").header(.setCookie, "tracker=1; Path=/; Secure"))
        let client = HttpClient.createClient { config in
            config.transport = fixture.server
            config.addInterceptor(actions)
            config.authentication = [.oauth(session, for: "https://id.example.com")]
            config.cookieJar = jar
        }
        let time = TimeSource(now: { .zero }, date: { PushFixture.now }, sleep: { _ in })
        let push = PushClient(store: fixture.records, owner: "alice", httpClient: client, clock: time)
        let mechanism = try await push.enroll(fixture.uri(), device: PushFixture.device)
        try await push.approve(try await push.receive(fixture.message(for: mechanism), messageID: "A:1"))
        try await push.update(PushFixture.device)
        #expect(actions.actions == [Action(.pushRegister), Action(.pushAuthenticate), Action(.pushUpdate)])
        let requests = fixture.server.requests
        #expect(requests.allSatisfy { $0.header("Authorization") == nil })
        #expect(requests.map { $0.header("Cookie") } == ["amlbcookie=01", "amlbcookie=02", "amlbcookie=01"])
        #expect(jar.allCookies.map(\.name) == ["iPlanetDirectoryPro"])
    }

    @Test func `Enrolling again uses the new endpoints and the new cookie`() async throws {
        let fixture = PushFixture()
        let first = try await fixture.enroll()
        let changes = [
            "r": PushFixture.encode("https://new.example.com/push?_action=register"),
            "l": PushFixture.encode("amlbcookie=03"),
        ]
        let uri = fixture.uri("pushauth://push/Example:alice", changes)
        #expect(try await fixture.push.enroll(uri, device: PushFixture.device).id == first.id)
        try await fixture.push.update(PushFixture.device)
        let request = try #require(fixture.server.requests.last)
        #expect(request.url == "https://new.example.com/push?_action=refresh")
        #expect(request.header("Cookie") == "amlbcookie=03")
        #expect(try await fixture.push.mechanisms().count == 1)
    }

    // MARK: Messages

    @Test func `A message that is being answered cannot be answered differently`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        let received = Signal()
        let mayContinue = Signal()
        fixture.server.on(.post, "/**") { _ in
            received.fire()
            try await mayContinue.wait()
            return .json("{}")
        }
        async let approval: Void = fixture.push.approve(message)
        try await received.wait()
        await expectError(\MechanismError.reason, .notPending) { try await fixture.otherClient().deny(message) }
        mayContinue.fire()
        try await approval
        #expect(fixture.server.requests.count == 2)
    }

    @Test func `A forged, a foreign and a replayed message do not affect the mechanism`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism)
        let message = try await fixture.push.receive(token, messageID: "A:1")
        let forged = try PushFixture(secret: Data(repeating: 8, count: 32)).message(for: mechanism)
        await expectError(\MechanismError.reason, .replayed) {
            try await fixture.push.receive(token, messageID: "A:1")
        }
        await expectError(\MechanismError.reason, .invalidSignature) {
            try await fixture.push.receive(forged, messageID: "A:2")
        }
        #expect(try await fixture.push.mechanisms().map(\.id) == [mechanism.id])
        try await fixture.push.approve(message)
    }

    @Test func `Approving sends the response to the challenge with the cookie of the message`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism, ["x": #"{"userAgent":"Firefox"}"#, "d": "u1", "p": "{}"])
        let message = try await fixture.push.receive(token, messageID: "AUTHENTICATE:1")
        #expect(message.kind == .approval)
        #expect(message.text == "Sign in at Example?")
        #expect(message.context == #"{"userAgent":"Firefox"}"#)
        #expect(message.userID == "u1")
        #expect(message.customPayload == "{}")
        #expect(message.expiresAt == PushFixture.now + 120)
        #expect(try await fixture.push.pendingMessages().map(\.id) == [message.id])
        #expect(fixture.server.requests.count == 1)
        try await fixture.push.approve(message)
        let request = try #require(fixture.server.requests.last)
        #expect(request.url == "https://id.example.com/am/json/push/sns/message?_action=authenticate")
        #expect(request.header("accept-api-version") == "resource=1.0, protocol=1.0")
        #expect(request.header("Cookie") == "amlbcookie=02")
        #expect(request.text.contains("AUTHENTICATE:1"))
        #expect(try fixture.sentClaims() == ["response": fixture.response])
        #expect(try await fixture.push.pendingMessages().isEmpty)
    }

    @Test func `Denying states the denial`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        try await fixture.push.deny(
            try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        )
        #expect(try fixture.sentClaims() == ["response": fixture.response, "deny": true])
    }

    @Test func `A number challenge is approved with one of its numbers`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let token = try fixture.message(for: mechanism, ["k": "challenge", "n": "34,43,57"])
        let message = try await fixture.push.receive(token, messageID: "A:1")
        #expect(message.kind == .numbers([34, 43, 57]))
        await expectError(\MechanismError.reason, .wrongNumber) { try await fixture.push.approve(message) }
        await expectError(\MechanismError.reason, .wrongNumber) {
            try await fixture.push.approve(message, number: 35)
        }
        #expect(fixture.server.requests.count == 1)
        try await fixture.push.approve(message, number: 43)
        #expect(try fixture.sentClaims() == ["response": fixture.response, "challengeResponse": "43"])
    }

    @Test func `A message without numbers is not approved with one`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        await expectError(\MechanismError.reason, .wrongNumber) {
            try await fixture.push.approve(message, number: 43)
        }
        #expect(fixture.server.requests.count == 1)
    }

    @Test func `A message is answered once`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        try await fixture.push.deny(message)
        await expectError(\MechanismError.reason, .notPending) { try await fixture.push.approve(message) }
        #expect(fixture.server.requests.count == 2)
    }

    @Test func `A message can be answered again after a failure`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        fixture.server.on(.post, "/**", .status(503))
        await expectError(\MechanismError.reason, .refused) { try await fixture.push.approve(message) }
        fixture.server.on(.post, "/**", .json("{}"))
        try await fixture.push.approve(message)
    }

    @Test func `A message that one process received is answered by another`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        let other = fixture.otherClient()
        try await other.approve(try #require(try await other.pendingMessages().first))
        #expect(try await fixture.push.pendingMessages().isEmpty)
    }

    @Test func `Removing a mechanism removes its messages`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        try await fixture.push.remove(mechanism.id)
        await expectError(\MechanismError.reason, .notPending) { try await fixture.push.approve(message) }
        await expectError(\MechanismError.reason, .unknownMechanism) { try await fixture.push.remove(mechanism.id) }
    }

    // MARK: Device

    @Test func `A changed device is registered at the refresh action of the enrollment's URL`() async throws {
        let fixture = PushFixture()
        let mechanism = try await fixture.enroll()
        var device = PushFixture.device
        device.token = "new-token"
        try await fixture.push.update(device)
        let request = try #require(fixture.server.requests.last)
        #expect(request.url == "https://id.example.com/am/json/push/sns/message?_action=refresh")
        #expect(request.header("Cookie") == "amlbcookie=01")
        let body = try JSONDecoder().decode([String: String].self, from: request.body)
        #expect(Set(body.keys) == ["jwt", "mechanismUid"])
        #expect(body["mechanismUid"] == mechanism.id)
        #expect(
            try fixture.sentClaims() == [
                "deviceId": "new-token", "deviceName": "laptop", "deviceType": "ios", "communicationType": "apns",
            ]
        )
    }

    // MARK: Store

    @Test func `A store of another owner is refused, and nothing is sent`() async throws {
        let fixture = PushFixture()
        try await fixture.enroll()
        let other = fixture.otherClient(owner: "bob")
        await expectError(\MechanismError.reason, .otherOwner) {
            try await other.enroll(fixture.uri(), device: PushFixture.device)
        }
        #expect(fixture.server.requests.count == 1)
    }

    @Test func `Mechanisms are kept in an encrypted file`() async throws {
        try await withTemporaryDirectory { directory in
            let fixture = PushFixture()
            let file = directory.appending(path: "mechanisms.json")
            let key = RecordStoreKey.generate()
            func client() -> PushClient {
                PushClient(
                    store: FileMechanismStore(at: file, key: key),
                    owner: "alice",
                    httpClient: HttpClient.createClient { $0.transport = fixture.server }
                )
            }
            let mechanism = try await client().enroll(fixture.uri(), device: PushFixture.device)
            #expect(try await client().mechanisms().map(\.id) == [mechanism.id])
            let stored = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            #expect(!stored.contains("id.example.com"))
        }
    }

    @Test func `Descriptions, dumps and errors contain no secret`() async throws {
        let secret = Data("0123456789-the-canary-secret-0123456789".utf8)
        let fixture = PushFixture(secret: secret)
        let mechanism = try await fixture.enroll()
        let message = try await fixture.push.receive(fixture.message(for: mechanism), messageID: "A:1")
        let jwt = try #require(
            try JSONDecoder().decode([String: String].self, from: fixture.server.requests[0].body)["jwt"]
        )
        fixture.server.on(.post, "/**") { request in
            .json(#"{"message": "cannot accept \#(request.text.replacing("\"", with: "'"))"}"#, status: 400)
        }
        let refusal = await expectError(\MechanismError.reason, .refused) { try await fixture.push.approve(message) }
        let record = try #require(await fixture.records.load())
        var texts = [
            "\(mechanism)", "\(message)", "\(record)", "\(PushFixture.device)", "\(try #require(refusal))",
        ]
        for value in [mechanism, message, record, PushFixture.device, refusal as Any] as [Any] {
            var text = ""
            dump(value, to: &text)
            texts.append(text)
        }
        let sent = try #require(
            try JSONDecoder().decode([String: String].self, from: fixture.server.requests[1].body)["jwt"]
        )
        let secrets = [
            "canary-secret", secret.base64EncodedString(), Base64Url.encode(secret), jwt, sent, "device-token",
            PushFixture.challenge.base64EncodedString(), Base64Url.encode(PushFixture.challenge),
        ]
        for text in texts { #expect(!secrets.contains { text.contains($0) }, "\(text)") }
    }
}
