import ClientTestSupport
import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportGateway
@testable import SallyportResource

@Suite(.concurrencyLimited) struct PayloadEncryptionTests {
    private let secret = "the amount is 5"

    private func post(_ client: HttpClient, _ path: String = "/pay") async throws -> HttpResponse {
        try await client.request { request in
            request.url = PayloadFixture.url + path
            request.post(contentType: "text/plain", body: secret)
        }
    }

    private func get(_ client: HttpClient, _ path: String = "/balance") async throws -> HttpResponse {
        try await client.request { $0.url = PayloadFixture.url + path }
    }

    // MARK: Round trips

    @Test(arguments: [KeyAgreementCurve.x25519, .p256])
    func `Requests and responses are encrypted in one session`(curve: KeyAgreementCurve) async throws {
        let fixture = try PayloadFixture(curve: curve) { _, _ in .text("the balance is 7") }
        let client = try fixture.client()
        for _ in 1...3 {
            let response = try await post(client)
            #expect(response.bodyAsString() == "the balance is 7")
            #expect(response.getHeader(name: "Content-Type") == "text/plain; charset=utf-8")
            #expect(response.getHeader(name: "Payload-Encryption") == nil)
            #expect(response.getHeader(name: "Payload-Content-Type") == nil)
        }
        #expect(fixture.contents.entries == [secret, secret, secret])
        #expect(fixture.handshakes.count == 1)
        #expect(fixture.handshakes.first?.header("Content-Type") == "application/jose")
        let message = try #require(fixture.messages.first)
        #expect(message.header("Content-Type") == "application/vnd.sallyport.payload")
        #expect(message.header("Payload-Content-Type") == "text/plain")
        #expect(message.header("Accept-Encoding") == "identity")
        #expect(Int64(message.body.count) == StreamSealer.encryptedLength(of: 15))
        #expect(message.body.firstRange(of: Data(secret.utf8)) == nil)
        let seals = fixture.messages.compactMap { $0.header("Payload-Encryption").flatMap { PayloadRequestSeal($0) } }
        #expect(seals.map(\.counter) == [1, 2, 3])
        #expect(Set(seals.map(\.session)).count == 1)
    }

    @Test func `Messages without a body are sealed by their header`() async throws {
        let fixture = try PayloadFixture { head, _ in
            head.path == "/none"
                ? MockResponse(status: .noContent) : MockResponse(status: .notModified, headers: [.eTag: "\"7\""])
        }
        let client = try fixture.client()
        let none = try await get(client, "/none")
        #expect(none.status == .noContent)
        #expect(none.body?.isEmpty == true)
        let unchanged = try await get(client)
        #expect(unchanged.status == .notModified)
        #expect(unchanged.getHeader(name: "ETag") == "\"7\"")
        let head = try await client.request { request in
            request.url = PayloadFixture.url + "/balance"
            request.setMethod(.head)
        }
        #expect(head.status == .notModified)
        #expect(fixture.messages.allSatisfy { $0.body.isEmpty && $0.header("Content-Type") == nil })
    }

    @Test func `A request has a User-Agent, because the system would add its own after the tag`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        _ = try await get(client)
        _ = try await client.request { request in
            request.url = PayloadFixture.url
            request.setHeader(name: "User-Agent", value: "app/1.0")
        }
        let agent = "sallyport/\(NetworkConstants.sdkVersion)"
        #expect(fixture.messages.map { $0.header("User-Agent") } == [agent, "app/1.0"])
    }

    @Test func `Other servers receive requests as they are`() async throws {
        let fixture = try PayloadFixture()
        fixture.transport.on(nil, "/plain", .text("plain"))
        let response = try await fixture.client().request { $0.url = "https://other.example.com/plain" }
        #expect(response.bodyAsString() == "plain")
        #expect(fixture.handshakes.isEmpty)
    }

    @Test(arguments: [0, 1, 65_480, 65_481, 300_000])
    func `Bodies of each kind are encrypted, and have their length`(_ length: Int) async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        let bytes = repeatedBytes(length)
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "body")
            try bytes.write(to: file)
            let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
            for start in stride(from: 0, to: length, by: 70_000) {
                continuation.yield(bytes.dropFirst(start).prefix(70_000))
            }
            continuation.finish()
            let bodies: [RequestBody] = [
                .data(bytes), .file(file), .stream(BodyStream(stream, length: Int64(length))),
            ]
            for body in bodies {
                let response = try await client.request { request in
                    request.url = PayloadFixture.url + "/upload"
                    request.put(contentType: "application/octet-stream", body: Data())
                    request.body = body
                }
                #expect(response.bodyAsString() == "received \(length)")
            }
        }
    }

    @Test func `A streamed response is decrypted while it is read`() async throws {
        let bytes = repeatedBytes(200_000)
        let fixture = try PayloadFixture { _, _ in
            MockResponse(headers: [.contentType: "application/octet-stream"], body: bytes)
        }
        fixture.change { request, response in
            if request.path == "/file" { response.fault = .drip(bytes: 10_000) }
        }
        let request = makeRequest(PayloadFixture.url + "/file")
        let (content, chunks) = try await fixture.client().stream(request: request) { response in
            var (content, chunks) = (Data(), 0)
            for try await chunk in response.bodyStream {
                content += chunk
                chunks += 1
            }
            #expect(response.body == nil)
            return (content, chunks)
        }
        #expect(content == bytes)
        #expect(chunks == 4)
    }

    @Test func `Requests at the same time wait for one handshake`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...20 { group.addTask { _ = try await self.post(client) } }
            try await group.waitForAll()
        }
        #expect(fixture.handshakes.count == 1)
        let seals = fixture.messages.compactMap { $0.header("Payload-Encryption").flatMap { PayloadRequestSeal($0) } }
        #expect(Set(seals.map(\.counter)) == Set(1...20))
    }

    // MARK: Sessions

    @Test func `A session that the server has lost is replaced, and an idempotent request is sent again`() async throws
    {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        _ = try await get(client)
        try fixture.restart()
        #expect(try await get(client).status == .ok)
        #expect(fixture.handshakes.count == 2)
        #expect(fixture.messages.count == 3)
    }

    @Test func `A request that may change something is not sent again, unless it has an Idempotency-Key`() async throws
    {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        _ = try await get(client)
        try fixture.restart()
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await post(client) }
        #expect(error?.payload == .sessionEnded)
        #expect(fixture.messages.count == 2)
        #expect(try await post(client).status == .ok)

        try fixture.restart()
        let response = try await client.request { request in
            request.url = PayloadFixture.url + "/pay"
            request.post(contentType: "text/plain", body: secret)
            request.setHeader(name: "Idempotency-Key", value: "\"7\"")
        }
        #expect(response.status == .ok)
        #expect(fixture.contents.entries.filter { $0 == secret }.count == 2)
    }

    @Test(arguments: ["unknown_session", "replayed"])
    func `After a refusal that may be forged, the error does not recommend another attempt`(code: String) async throws {
        let fixture = try PayloadFixture()
        fixture.change { request, response in
            guard request.path == "/pay" else { return }
            response = MockResponse(status: .badRequest, headers: [.payloadEncryptionError: code])
        }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await post(fixture.client()) }
        #expect(error?.payload == (code == "replayed" ? .refused(status: 400, code: code) : .sessionEnded))
        #expect(error?.failure.advice?.hasPrefix("check at the server whether the request was executed") == true)
        // The server has executed the request.
        #expect(fixture.contents.entries == [secret])
    }

    @Test func `A server that always refuses the session is asked twice`() async throws {
        let fixture = try PayloadFixture()
        fixture.change { request, response in
            guard request.path == "/balance" else { return }
            response = MockResponse(status: .badRequest, headers: [.payloadEncryptionError: "unknown_session"])
        }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await get(fixture.client()) }
        #expect(error?.payload == .sessionEnded)
        #expect(fixture.messages.count == 2)
    }

    @Test func `A session is replaced before the server removes it`() async throws {
        let fixture = try PayloadFixture()
        let now = Locked(Duration.zero)
        var time = TimeSource.system
        time.now = { now.withLock { $0 } }
        let sessions = ClientPayloadSessions(
            try PayloadServerKey([fixture.privateKey.publicKey]),
            handshakeURL: PayloadFixture.url + GatewayPayloadEncryption.handshakePath,
            time: time
        )
        let encryption = PayloadEncryption(sessions, for: try OriginSet([PayloadFixture.url]))
        let client = try fixture.client { $0.sealing = [encryption] }
        for (second, handshakes) in [(0, 1), (569, 1), (570, 2), (571, 2), (1140, 3)] {
            now.withLock { $0 = .seconds(second) }
            _ = try await get(client)
            #expect(fixture.handshakes.count == handshakes, "after \(second) s")
        }
    }

    @Test func `A cancelled handshake does not fail requests that wait for it`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        let started = Watched(0)
        let path = GatewayPayloadEncryption.handshakePath
        fixture.change { request, response in
            guard request.path == path else { return }
            let isFirst = started.update { count in
                count += 1
                return count == 1
            }
            if isFirst { response = .stall }
        }
        let first = Task { try await get(client) }
        try await started.wait("the first handshake") { $0 == 1 }
        let second = Task { try await get(client) }
        first.cancel()
        await expectError(\NetworkError.kind, "cancelled") { try await first.value }
        #expect(try await second.value.status == .ok)
    }

    @Test func `A handshake that is not answered ends with the timeout of the request`() async throws {
        let fixture = try PayloadFixture()
        fixture.change { _, response in response = .stall }
        let client = try fixture.client()
        await expectError(\NetworkError.kind, "timeout") {
            try await client.request { request in
                request.url = PayloadFixture.url
                request.timeout = 0.05
            }
        }
        #expect(fixture.messages.isEmpty)
    }

    // MARK: Redirects

    @Test(arguments: ["https://files.example.com/x?secret", "//files.example.com/x", "http://api.example.com/"])
    func `A redirect to a server that is not encrypted is refused, and nothing is sent there`(
        location: String
    ) async throws {
        let fixture = try PayloadFixture { _, _ in .redirect(to: location, status: 307) }
        for redirects in [RedirectPolicy.refuse, .follow(limit: 5)] {
            let client = try fixture.client { $0.redirects = redirects }
            let error = await expectError(\NetworkError.kind, "invalidResponse") { try await post(client) }
            let origin = location.hasPrefix("http:") ? "http://api.example.com" : "https://files.example.com"
            #expect(error?.payload == .redirected(to: origin))
        }
        #expect(fixture.messages.count == 2)
        #expect(fixture.messages.allSatisfy { $0.url == PayloadFixture.url + "/pay" })
    }

    @Test(arguments: ["/other", "https://API.example.com:443/other"])
    func `A redirect to an encrypted server is followed with another counter`(location: String) async throws {
        let fixture = try PayloadFixture { head, content in
            head.path == "/pay" ? .redirect(to: location, status: 307) : .text("received \(content.count)")
        }
        let client = try fixture.client { $0.redirects = .follow(limit: 5) }
        #expect(try await post(client).bodyAsString() == "received 15")
        #expect(fixture.contents.entries == [secret, secret])
    }

    @Test func `A redirect to an app's scheme is returned`() async throws {
        let fixture = try PayloadFixture { _, _ in .redirect(to: "com.example.app:/callback") }
        #expect(try await get(fixture.client()).getHeader(name: "Location") == "com.example.app:/callback")
    }

    // MARK: Keys

    @Test func `The next key is used if the server does not have the first one`() async throws {
        let fixture = try PayloadFixture()
        let other = try PayloadKey.generate(on: .p256)
        let encryption = try fixture.encryption([other.publicKey, fixture.privateKey.publicKey])
        let client = try fixture.client { $0.sealing = [encryption] }
        #expect(try await get(client).status == .ok)
        #expect(fixture.handshakes.count == 2)
    }

    @Test func `A call fails if the server has none of the keys`() async throws {
        let fixture = try PayloadFixture()
        try fixture.restart(with: [PayloadKey.generate()])
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await get(fixture.client()) }
        #expect(error?.payload == .handshakeRefused(status: 400, code: "unknown_key"))
        #expect(fixture.messages.isEmpty)
    }

    @Test func `A server that does not have the private key cannot answer a handshake`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        let attacker = try PayloadKey.checked(PayloadKey.generate())
        fixture.change { _, response in
            // The attacker answers a handshake of its own.
            let handshake = try? PayloadHandshake(with: attacker)
            let answer = try? PayloadHandshakeAnswer.make(
                to: handshake?.request ?? "",
                with: [attacker],
                lifetime: 3600
            )
            response = MockResponse(body: Data((answer?.response ?? "").utf8))
        }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await post(client) }
        #expect(error?.payload == .handshakeNotAuthentic)
        #expect(fixture.messages.isEmpty)
    }

    @Test func `The response to another handshake is refused`() async throws {
        let fixture = try PayloadFixture()
        let other = try PayloadHandshake(with: PayloadKey.checked(fixture.privateKey))
        let answer = try PayloadHandshakeAnswer.make(
            to: other.request,
            with: [PayloadKey.checked(fixture.privateKey)],
            lifetime: 3600
        )
        fixture.change { _, response in response.body = Data(answer.response.utf8) }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await post(fixture.client()) }
        #expect(error?.payload == .handshakeNotAuthentic)
    }

    // MARK: Refused requests

    @Test func `Trailer fields and content codings are refused before anything is sent`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        for isTrailer in [true, false] {
            let error = await expectError(\NetworkError.kind, "invalidRequest") {
                try await client.request { request in
                    request.url = PayloadFixture.url
                    request.post(contentType: "text/plain", body: secret)
                    if isTrailer {
                        request.trailers = { [:] }
                    } else {
                        request.setHeader(name: "Content-Encoding", value: "gzip")
                    }
                }
            }
            guard case .unsupportedRequest? = error?.payload else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test(arguments: ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"])
    func `A request with a digest of its content is refused, because the digest would be readable`(
        name: String
    ) async throws {
        let fixture = try PayloadFixture()
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await fixture.client().request { request in
                request.url = PayloadFixture.url
                request.post(contentType: "text/plain", body: secret)
                request.setHeader(name: name, value: "7")
            }
        }
        let reason = "payload encryption does not allow \(name), a readable hash of the content"
        #expect(error?.payload == .unsupportedRequest(reason))
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `An encrypted request is not encrypted again`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client()
        let reason = "the request is already encrypted; send the original request again"
        for response in [try await post(client), try await get(client)] {
            let error = await expectError(\NetworkError.kind, "invalidRequest") {
                try await client.request(request: response.request) as HttpResponse
            }
            #expect(error?.payload == .unsupportedRequest(reason))
        }
        #expect(fixture.contents.entries == [secret, ""])
    }

    @Test(arguments: ["X-API-Key", "iPlanetDirectoryPro", "X-Badge"])
    func `A request with a secret in a field that is not protected is refused`(name: String) async throws {
        let fixture = try PayloadFixture()
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await fixture.client().request { request in
                request.url = PayloadFixture.url
                request.setHeader(name: name, value: "the secret", isSensitive: true)
            }
        }
        let reason = "payload encryption does not protect the secret in \(name); send it in Authorization"
        #expect(error?.payload == .unsupportedRequest(reason))
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `The refusal of a sign-in with a session header says how the user can sign in`() async throws {
        let fixture = try PayloadFixture()
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await fixture.client().request { request in
                request.url = PayloadFixture.url
                request.action = Action(.authorize)
                request.setHeader(name: "iPlanetDirectoryPro", value: "the secret", isSensitive: true)
            }
        }
        let advice = "let users sign in with a BrowserSignIn, or set a resourceBaseURL at another server"
        #expect(error?.failure.reason.hasSuffix(advice) == true)
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test func `Secrets in protected fields are sent`() async throws {
        let fixture = try PayloadFixture()
        let response = try await fixture.client().request { request in
            request.url = PayloadFixture.url
            for (name, value) in [("Authorization", "Bearer token"), ("DPoP", "proof"), ("Cookie", "a=1")] {
                request.setHeader(name: name, value: value, isSensitive: true)
            }
        }
        #expect(response.status == .ok)
    }

    @Test func `A stream that produces bytes although its length is 0 is not sent unencrypted`() async throws {
        /// Reads the body as a transport does that ignores the declared length.
        struct Reading: Interceptor {
            let sent = Journal()

            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                guard request.url?.hasSuffix("/pay") == true else { return try await next(request) }
                try await request.body.forEachChunk { sent.add(String(decoding: $0, as: UTF8.self)) }
                return try await next(request)
            }
        }
        let fixture = try PayloadFixture()
        let reading = Reading()
        let client = try fixture.client { $0.addWireInterceptor(reading) }
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data(secret.utf8))
        continuation.finish()
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await client.request { request in
                request.url = PayloadFixture.url + "/pay"
                request.post(contentType: "text/plain", body: "")
                request.body = .stream(BodyStream(stream, length: 0))
            }
        }
        #expect(!reading.sent.entries.joined().contains(secret))
        #expect(fixture.messages.isEmpty)
    }

    @Test(arguments: ["invalid_message", "replayed", "encryption_required", "something_else"])
    func `A refusal of the server is reported with its code`(code: String) async throws {
        let fixture = try PayloadFixture()
        fixture.change { request, response in
            guard request.path == "/balance" else { return }
            response = MockResponse(status: .badRequest, headers: [.payloadEncryptionError: code])
        }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await get(fixture.client()) }
        #expect(error?.payload == .refused(status: 400, code: code))
        #expect(fixture.messages.count == (code == "replayed" ? 2 : 1))
    }

    // MARK: Attacks on responses

    enum ResponseAttack: String, CaseIterable, Sendable {
        case status, contentType, addedContentType, eTag, location, cookie, tag, noTag, body, truncated, longer, noBody
        case plainBody, contentCoding
    }

    @Test(arguments: ResponseAttack.allCases)
    func `A changed response is refused`(_ attack: ResponseAttack) async throws {
        let fixture = try PayloadFixture { _, _ in
            MockResponse(headers: [.contentType: "application/json", .eTag: "\"7\""], body: Data("{}".utf8))
        }
        fixture.change { request, response in
            guard request.path != GatewayPayloadEncryption.handshakePath else { return }
            switch attack {
            case .status: response.status = .created
            case .contentType: response.headers[.payloadContentType] = "text/html"
            case .addedContentType: response.headers.append(HTTPField(name: .payloadContentType, value: "text/html"))
            case .eTag: response.headers[.eTag] = "\"8\""
            case .location: response.headers[.location] = "https://evil.example/"
            case .cookie: response.headers.append(HTTPField(name: .setCookie, value: "session=evil"))
            case .tag: response.headers[.payloadEncryption] = PayloadResponseSeal.text(Data(count: 32))
            case .noTag: response.headers[.payloadEncryption] = nil
            case .body: response.body[response.body.count - 1] ^= 1
            case .truncated: response.body.removeLast()
            case .longer: response.body.append(0)
            case .noBody: response.body = Data()
            case .plainBody:
                response.headers[.contentType] = "application/json"
                response.body = Data(#"{"balance": 0}"#.utf8)
            case .contentCoding: response.headers[.contentEncoding] = "identity"
            }
        }
        let client = try fixture.client()
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await get(client) }
        #expect(error?.payload == (attack == .noTag ? .notEncrypted(status: 200) : .notAuthentic))

        let request = makeRequest(PayloadFixture.url + "/balance")
        let received = Locked(Data())
        let streamError = await expectError(\NetworkError.kind, "invalidResponse") {
            try await client.stream(request: request) { response in
                for try await chunk in response.bodyStream { received.withLock { $0 += chunk } }
            }
        }
        #expect(streamError?.payload == error?.payload)
        #expect(received.withLock { $0 }.isEmpty)
    }

    @Test func `A proxy cannot choose the nonce of Digest authentication`() async throws {
        let challenge = #"Digest realm="r", qop="auth", algorithm=SHA-256, nonce="old""#
        let fixture = try PayloadFixture { head, _ in
            if head.headerFields[.authorization] != nil { return .text("the balance is 7") }
            return MockResponse(status: .unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let client = try fixture.client { config in
            config.authentication = [.digest(user: "ada", password: "secret", for: PayloadFixture.url)]
        }
        fixture.change { request, response in
            guard request.header("Authorization") != nil else { return }
            response.headers[.authenticationInfo] = #"nextnonce="chosen""#
        }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await get(client) }
        #expect(error?.payload == .notAuthentic)
        fixture.change { _, _ in }
        #expect(try await get(client).bodyAsString() == "the balance is 7")
        #expect(fixture.messages.last?.header("Authorization")?.contains(#"nonce="old""#) == true)
    }

    @Test func `The date of a response is not used, because servers and proxies set it later`() async throws {
        let fixture = try PayloadFixture()
        fixture.change { _, response in response.headers[.date] = "Thu, 01 Jan 2037 00:00:00 GMT" }
        #expect(try await get(fixture.client()).getHeader(name: "Date") == nil)
    }

    @Test func `Fields that let others store or discard a decrypted response are removed`() async throws {
        let fixture = try PayloadFixture()
        let added = ["Repr-Digest", "Content-Digest", "Expires", "Age", "Vary", "Pragma", "Payload-Encryption-Error"]
        fixture.change { _, response in
            for name in added.compactMap({ HTTPField.Name($0) }) { response.headers[name] = "x" }
            response.headers[.cacheControl] = "public, max-age=31536000"
        }
        let response = try await get(fixture.client())
        for name in added { #expect(response.getHeader(name: name) == nil, "\(name)") }
        #expect(response.getHeader(name: "Cache-Control") == "no-store")
    }

    @Test func `Informational responses are discarded, because a proxy can send them`() async throws {
        let fixture = try PayloadFixture()
        fixture.change { _, response in
            let status = HTTPResponse.Status(code: 104)
            response.informational = [HTTPResponse(status: status, headerFields: [.location: "/evil"])]
        }
        let heard = Journal()
        let response = try await fixture.client().request { request in
            request.url = PayloadFixture.url
            request.onInformational = { heard.add("\($0)") }
            request.onInformationalFrom = { response, _ in heard.add("\(response)") }
        }
        #expect(response.informational.isEmpty)
        #expect(heard.entries.isEmpty)
    }

    @Test func `A Content-Length that no body has is ignored`() async throws {
        let fixture = try PayloadFixture { _, _ in .text("the balance is 7") }
        fixture.change { request, response in
            if request.path == "/balance" { response.headers[.contentLength] = "9223372036854775807" }
        }
        let request = makeRequest(PayloadFixture.url + "/balance")
        let content = try await fixture.client().stream(request: request) { response in
            try await response.bodyStream.collect(upTo: 100)
        }
        #expect(content == Data("the balance is 7".utf8))
    }

    @Test func `A response without a body that does not end fails with the timeout`() async throws {
        let fixture = try PayloadFixture { _, _ in MockResponse() }
        fixture.change { request, response in
            if request.path == "/balance" { response.fault = .stallBody(after: 0) }
        }
        let client = try fixture.client()
        _ = try await get(client, "/other")
        let request = makeRequest(PayloadFixture.url + "/balance") { $0.timeout = 0.2 }
        await expectError(\NetworkError.kind, "timeout") { try await client.stream(request: request) { _ in } }
    }

    /// A transport that decompresses the responses of a mock.
    private struct DecodingTransport: Transport {
        let mock: MockTransport

        /// Returns the bytes of another body.
        private struct Passing: ResponseBodySource {
            let body: ResponseBody

            func read() async throws(NetworkError) -> Data? {
                let content = try await body.collect(upTo: 65_536)
                return content.isEmpty ? nil : content
            }

            var trailers: HTTPFields { [:] }

            func cancel() { body.cancel() }
        }

        func send(
            _ request: TransportRequest,
            in scope: ExchangeScope
        ) async throws(NetworkError) -> TransportResponse {
            var response = try await mock.send(request, in: scope)
            if request.head.path == "/balance" {
                response.body = ResponseBody(isDecoded: true, source: Passing(body: response.body))
            }
            return response
        }

        func close() { mock.close() }

        func shutdown(grace: Duration) async { mock.close() }
    }

    @Test(arguments: [true, false])
    func `A response that the transport decompresses is refused`(isStreamed: Bool) async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client { $0.transport = DecodingTransport(mock: fixture.transport) }
        let error = await expectError(\NetworkError.kind, "invalidResponse") {
            if !isStreamed { return try await get(client).bodyAsString() }
            return try await client.stream(request: makeRequest(PayloadFixture.url + "/balance")) { response in
                String(decoding: try await response.bodyStream.collect(upTo: 1000), as: UTF8.self)
            }
        }
        #expect(error?.payload == .notAuthentic)
    }

    @Test func `The response to another request is refused`() async throws {
        let fixture = try PayloadFixture { head, _ in .text(head.path ?? "") }
        let first = Locked<MockResponse?>(nil)
        fixture.change { request, response in
            guard request.path == "/balance" else { return }
            let current = response
            response = first.withLock { first in
                if first == nil { first = current }
                return first ?? current
            }
        }
        let client = try fixture.client()
        #expect(try await get(client).bodyAsString() == "/balance")
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await get(client) }
        #expect(error?.payload == .notAuthentic)
    }

    @Test func `An unencrypted response of a proxy is refused with its status`() async throws {
        let fixture = try PayloadFixture()
        fixture.change { request, response in
            if request.path == "/balance" { response = .text("Bad Gateway", status: 502) }
        }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await get(fixture.client()) }
        #expect(error?.payload == .notEncrypted(status: 502))
    }

    @Test func `A streamed response that is cut between segments fails after its first part`() async throws {
        let fixture = try PayloadFixture { _, _ in MockResponse(body: repeatedBytes(200_000)) }
        fixture.change { request, response in
            if request.path == "/file" { response.body = response.body.prefix(2 * 65_536) }
        }
        let client = try fixture.client()
        let received = Locked(Data())
        let error = await expectError(\NetworkError.kind, "invalidResponse") {
            try await client.stream(request: makeRequest(PayloadFixture.url + "/file")) { response in
                for try await chunk in response.bodyStream { received.withLock { $0 += chunk } }
            }
        }
        #expect(error?.payload == .notAuthentic)
        let part = received.withLock { $0 }
        #expect(!part.isEmpty && repeatedBytes(200_000).starts(with: part))
    }

    // MARK: Attacks on requests

    @Test(arguments: [
        "method", "path", "query", "host", "authorization", "type", "range", "key", "offset", "cookie", "body",
        "header", "no body",
    ])
    func `The server refuses a request that a wire interceptor has changed`(part: String) async throws {
        struct Changing: Interceptor {
            let part: String

            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                guard request.url?.hasSuffix(GatewayPayloadEncryption.handshakePath) == false else {
                    return try await next(request)
                }
                var request = request
                switch part {
                case "method": request.setMethod("PUT")
                case "path": request.url = PayloadFixture.url + "/other?a=b"
                case "query": request.url = PayloadFixture.url + "/pay?a=c"
                case "host": request.url = "https://other.example.com/pay?a=b"
                case "authorization": request.setHeader(name: "Authorization", value: "Bearer other")
                case "type": request.setHeader(name: "Payload-Content-Type", value: "text/html")
                case "range": request.setHeader(name: "Range", value: "bytes=0-1")
                case "key": request.setHeader(name: "Idempotency-Key", value: "\"8\"")
                case "offset": request.setHeader(name: "Upload-Offset", value: "8")
                case "cookie": request.removeHeader(name: "Cookie")
                case "body": request.body = .data(Data(count: 100))
                case "header": request.setHeader(name: "Payload-Encryption", value: "1;session=\"\";counter=1;tag=\"\"")
                default: request.removeHeader(name: "Content-Type")
                }
                return try await next(request)
            }
        }
        let fixture = try PayloadFixture()
        let client = try fixture.client { $0.addWireInterceptor(Changing(part: part)) }
        let error = await expectError(\NetworkError.kind, "invalidResponse") {
            try await client.request { request in
                request.url = PayloadFixture.url + "/pay?a=b"
                request.post(contentType: "text/plain", body: secret)
                request.setHeader(name: "Authorization", value: "Bearer token")
                request.setHeader(name: "Idempotency-Key", value: "\"7\"")
                request.setHeader(name: "Upload-Offset", value: "7")
                // A request with cookies is not sent to another host.
                if part != "host" { request.setHeader(name: "Cookie", value: "a=1") }
            }
        }
        #expect(error?.payload == .refused(status: 400, code: "invalid_message"))
        #expect(fixture.contents.entries.isEmpty)
    }

    /// Sends the first request to a path twice, as a transport does that has lost the connection before the response.
    private struct Repeating: Interceptor {
        let path: String
        let isRepeated = Locked(false)

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            let response = try await next(request)
            guard request.url?.hasSuffix(path) == true, !isRepeated.withLock({ $0 }) else { return response }
            isRepeated.withLock { $0 = true }
            return try await next(request)
        }
    }

    @Test func `An idempotent request that the transport has repeated is sent with another counter`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client { $0.addWireInterceptor(Repeating(path: "/balance")) }
        #expect(try await get(client).status == .ok)
        let seals = fixture.messages.compactMap { $0.header("Payload-Encryption").flatMap { PayloadRequestSeal($0) } }
        #expect(seals.map(\.counter) == [1, 1, 2])
        #expect(fixture.handshakes.count == 1)
    }

    @Test func `A request that is sent twice is refused the second time`() async throws {
        let fixture = try PayloadFixture()
        let client = try fixture.client { $0.addWireInterceptor(Repeating(path: "/pay")) }
        let error = await expectError(\NetworkError.kind, "invalidResponse") { try await post(client) }
        #expect(error?.payload == .refused(status: 400, code: "replayed"))
        #expect(fixture.contents.entries == [secret])
    }
}
