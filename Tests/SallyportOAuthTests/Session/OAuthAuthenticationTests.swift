import ClientTestSupport
import Foundation
import Logging
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTesting
import SessionSupport
import Testing
import TestSupport

@testable import SallyportOAuth

@Suite(.concurrencyLimited) struct OAuthAuthenticationTests {
    /// An API that accepts one access token.
    private func api(taking number: Int) -> MockTransport {
        MockTransport { request in
            let isTaken = request.header("Authorization") == "Bearer canary-access-\(number)"
            return .text(isTaken ? "hello" : "who?", status: isTaken ? 200 : 401)
        }
    }

    private func client(_ transport: MockTransport) -> HttpClient {
        HttpClient.createClient { config in
            config.transport = transport
            config.allowsPlainHTTP = true
        }
    }

    private func session(_ tokens: OAuthTokens = .number(0)) -> (OAuthSession, ScriptedRefresher) {
        let refresher = ScriptedRefresher { number, _ in .number(number) }
        return (OAuthSession(refresher: refresher, store: MemoryTokenStore(tokens)), refresher)
    }

    @Test func `A request to an allowed origin carries the access token`() async throws {
        let server = api(taking: 0)
        let (session, _) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com/v1")
        let response = try await api.request { request in request.url = "https://API.example.com:443/me" }
        #expect(response.status == .ok)
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer canary-access-0"])
    }

    @Test(arguments: [
        "https://other.example.com/", "http://api.example.com/", "https://api.example.com:444/",
        "https://api.example.com.evil.example/",
    ])
    func `A request to any other origin carries no token`(_ url: String) async throws {
        let server = api(taking: 0)
        let (session, refresher) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        let response = try await api.request { request in request.url = url }
        #expect(response.status == .unauthorized)
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
        #expect(refresher.count.value == 0)
    }

    @Test func `A token is not sent to a loopback address through a proxy over plain HTTP`() async throws {
        try await withScriptedServer([[.receiveHead]]) { proxy in
            let client = try HttpClient.createClient { $0.proxy = .proxy(try Proxy("http://\(proxy.authority)")) }
            defer { client.close() }
            let api = client.authorized(by: session().0, for: "http://127.0.0.1:9")
            await #expect {
                try await api.request { request in request.url = "http://127.0.0.1:9/me" }
            } throws: { error in
                guard case NetworkError.invalidRequest(let failure) = error else { return false }
                return failure.reason.contains("through the proxy \(proxy.authority) over plain HTTP")
            }
            #expect(proxy.acceptedConnections == 0)
        }
    }

    @Test func `A redirect to another origin carries no token, and a redirect back carries it again`() async throws {
        let server = MockTransport()
        server.on(.get, "/away", .text("", status: 302).header(.location, "https://evil.example/back"))
        server.on(.get, "/back", .text("", status: 302).header(.location, "https://api.example.com/end"))
        server.on(.get, "/end", .text("end"))
        let (session, _) = session()
        let plain = HttpClient.createClient { config in
            config.transport = server
            config.redirects = .follow(limit: 5)
        }
        let api = plain.authorized(by: session, for: "https://api.example.com")
        _ = try await api.request { request in request.url = "https://api.example.com/away" }
        #expect(server.requests.map { $0.header("Authorization") != nil } == [true, false, true])
    }

    @Test func `An Authorization header set by the app is not changed`() async throws {
        let server = api(taking: 0)
        let (session, _) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        _ = try await api.request { request in
            request.url = "https://api.example.com/"
            request.setHeader(name: "Authorization", value: "Basic eDp5")
        }
        #expect(server.requests.map { $0.header("Authorization") } == ["Basic eDp5"])
    }

    @Test func `After a 401 response, the tokens are refreshed once and the request is repeated`() async throws {
        let server = api(taking: 1)
        let (session, refresher) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        let response = try await api.request { request in
            request.url = "https://api.example.com/"
            request.post(json: ["a": 1])
        }
        #expect(response.status == .ok)
        #expect(server.requests.map(\.text) == [#"{"a":1}"#, #"{"a":1}"#])
        #expect(refresher.count.value == 1)
    }

    @Test func `The body of a 401 response before a refresh is not awaited`() async throws {
        let server = MockTransport { request in
            if request.header("Authorization") == "Bearer canary-access-1" { return .text("hello") }
            var refusal = MockResponse.text("who?", status: 401)
            refusal.fault = .stallBody(after: 2)
            return refusal
        }
        let (session, _) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        // A call that waits for the body would exceed its timeout.
        let response = try await api.request(request: HttpRequest(url: "https://api.example.com/"))
        #expect(response.bodyAsString() == "hello")
    }

    @Test(arguments: ["Bearer", "DPoP"])
    func `After a demand for another authentication, the tokens are not refreshed`(_ scheme: String) async throws {
        let challenge = #"\#(scheme) error="insufficient_user_authentication", acr_values="gold""#
        let server = MockTransport { _ in .text("", status: 401).header(.wwwAuthenticate, challenge) }
        let (session, refresher) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        let response = try await api.request { request in request.url = "https://api.example.com/" }
        #expect(response.status == .unauthorized)
        #expect(server.requests.count == 1)
        #expect(refresher.count.value == 0)
    }

    @Test func `A 401 response at the target of a redirect refreshes the tokens, and only that request is repeated`()
        async throws
    {
        let server = MockTransport()
        server.on(.get, "/moved", .redirect(to: "/end"))
        server.on(.get, "/end") { request in
            let isTaken = request.header("Authorization") == "Bearer canary-access-1"
            return .text(isTaken ? "end" : "who?", status: isTaken ? 200 : 401)
        }
        let (session, refresher) = session()
        let plain = HttpClient.createClient { config in
            config.transport = server
            config.redirects = .follow(limit: 5)
        }
        let api = plain.authorized(by: session, for: "https://api.example.com")
        let response = try await api.request { request in request.url = "https://api.example.com/moved" }
        #expect(response.bodyAsString() == "end")
        #expect(server.requests.map(\.path) == ["/moved", "/end", "/end"])
        #expect(refresher.count.value == 1)
    }

    @Test func `A second 401 response is returned to the caller`() async throws {
        let server = api(taking: 7)
        let (session, refresher) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        let response = try await api.request { request in request.url = "https://api.example.com/" }
        #expect(response.status == .unauthorized)
        #expect(server.requests.count == 2)
        #expect(refresher.count.value == 1)
    }

    @Test func `A 401 response to a single-use body is returned to the caller, and the next call refreshes the tokens`()
        async throws
    {
        let server = api(taking: 1)
        let (session, refresher) = session()
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        let response = try await api.request { request in
            request.url = "https://api.example.com/"
            request.setMethod(.put)
            request.body = .stream(BodyStream(AsyncStream<Data> { $0.finish() }))
        }
        #expect(response.status == .unauthorized)
        #expect(refresher.count.value == 0)
        #expect(try await api.request { request in request.url = "https://api.example.com/" }.status == .ok)
        #expect(refresher.count.value == 1)
    }

    @Test func `Without a refresh token, a 401 response is returned to the caller`() async throws {
        let server = api(taking: 1)
        var tokens = OAuthTokens.number(0)
        tokens.refreshToken = nil
        let (session, refresher) = session(tokens)
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        #expect(try await api.request { request in request.url = "https://api.example.com/" }.bodyAsString() == "who?")
        #expect(refresher.count.value == 0)
    }

    @Test func `A call throws the network error of a failed refresh`() async throws {
        let refresher = ScriptedRefresher { _, _ in throw NetworkError.hostNotFound("no id.example.com") }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let api = client(api(taking: 1)).authorized(by: session, for: "https://api.example.com")
        await #expect {
            try await api.request { request in request.url = "https://api.example.com/" }
        } throws: { error in
            if case NetworkError.hostNotFound = error { true } else { false }
        }
    }

    @Test func `A call in an ended session throws an error that advises to log in again`() async throws {
        let refresher = ScriptedRefresher { _, _ in throw OAuthError.refusal("invalid_grant") }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let server = api(taking: 1)
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        await #expect {
            try await api.request { request in request.url = "https://api.example.com/" }
        } throws: { error in
            let failure = (error as? NetworkError)?.failure
            return failure?.advice == "log in again" && failure?.underlying is OAuthSessionError
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A request without a login fails by default, or is sent without a token`() async throws {
        let server = api(taking: 0)
        let session = OAuthSession(refresher: ScriptedRefresher { _, old in old }, store: MemoryTokenStore())
        let strict = client(server).authorized(by: session, for: "https://api.example.com")
        let error = await expectError(\NetworkError.kind, "networkError") {
            try await strict.request { $0.url = "https://api.example.com/" }
        }
        #expect((error?.failure.underlying as? OAuthSessionError)?.kind == "notLoggedIn")
        #expect(server.requests.isEmpty)

        let open = client(server)
            .authorized(by: session, for: "https://api.example.com", whenSignedOut: .sendWithoutToken)
        #expect(try await open.request { $0.url = "https://api.example.com/" }.bodyAsString() == "who?")
        try await session.save(.number(0))
        #expect(try await open.request { $0.url = "https://api.example.com/" }.bodyAsString() == "hello")
        #expect(server.requests.map { $0.header("Authorization") } == [nil, "Bearer canary-access-0"])
    }

    @Test func `Requests can be sent without a token after the server has ended the session`() async throws {
        let refresher = ScriptedRefresher { _, _ in throw OAuthError.refusal("invalid_grant") }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let server = api(taking: 1)
        let api = client(server)
            .authorized(by: session, for: "https://api.example.com", whenSignedOut: .sendWithoutToken)
        for _ in 0..<2 { _ = try await api.request { $0.url = "https://api.example.com/" } }
        #expect(server.requests.map { $0.header("Authorization") } == [nil, nil])
        #expect(refresher.count.value == 1)
    }

    @Test func `Requests can be sent without a token after the tokens have expired for good`() async throws {
        var tokens = OAuthTokens.ended
        tokens.refreshToken = nil
        let (session, refresher) = session(tokens)
        let server = api(taking: 0)
        let error = await #expect(throws: OAuthSessionError.self) { try await session.tokens() }
        #expect(error?.kind == "expired")
        let api = client(server)
            .authorized(by: session, for: "https://api.example.com", whenSignedOut: .sendWithoutToken)
        _ = try await api.request { $0.url = "https://api.example.com/" }
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
        #expect(refresher.count.value == 0)
    }

    @Test func `Requests can be sent without a token after the response to a refresh was lost`() async throws {
        let refresher = ScriptedRefresher { number, _ in
            if number == 1 { throw NetworkError.connectionLost(NetworkFailure("cut", phase: .head)) }
            throw OAuthError.refusal("invalid_grant")
        }
        let store = MemoryTokenStore(.ended)
        _ = try? await OAuthSession(refresher: refresher, store: store).tokens()
        let server = api(taking: 1)
        let strict = client(server)
            .authorized(by: OAuthSession(refresher: refresher, store: store), for: "https://api.example.com")
        let left = try #require(await store.load())
        let error = await expectError(\NetworkError.kind, "networkError") {
            try await strict.request { $0.url = "https://api.example.com/" }
        }
        #expect((error?.failure.underlying as? OAuthSessionError)?.kind == "responseLost")
        #expect(server.requests.isEmpty)

        await store.save(left)
        let session = OAuthSession(refresher: refresher, store: store)
        let open = client(server)
            .authorized(by: session, for: "https://api.example.com", whenSignedOut: .sendWithoutToken)
        _ = try await open.request { $0.url = "https://api.example.com/" }
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
        #expect(refresher.count.value == 3)
    }

    @Test func `A request is not sent without a token because a refresh failed on the network`() async throws {
        let refresher = ScriptedRefresher { _, _ in throw NetworkError.hostNotFound("no id.example.com") }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let server = api(taking: 1)
        let api = client(server)
            .authorized(by: session, for: "https://api.example.com", whenSignedOut: .sendWithoutToken)
        await expectError(\NetworkError.kind, "hostNotFound") {
            try await api.request { $0.url = "https://api.example.com/" }
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [[], ["no url"], ["http://api.example.com"], ["http://127.evil.example"]])
    func `Invalid allowed origins are refused before a request is sent`(_ origins: [String]) async throws {
        let server = api(taking: 0)
        let (session, _) = session()
        let api = client(server).authorized(by: session, for: origins)
        await #expect {
            try await api.request { request in request.url = "https://api.example.com/" }
        } throws: { error in
            if case NetworkError.invalidRequest = error { true } else { false }
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost"])
    func `Loopback origins may use plain HTTP`(_ origin: String) async throws {
        let server = api(taking: 0)
        let (session, _) = session()
        let api = client(server).authorized(by: session, for: origin)
        #expect(try await api.request { request in request.url = origin + "/" }.status == .ok)
    }

    @Test func `A wire interceptor cannot send the token to another origin`() async throws {
        let server = api(taking: 0)
        let (session, _) = session()
        let plain = HttpClient.createClient { config in
            config.transport = server
            config.addWireInterceptor(SendElsewhere())
        }
        let api = plain.authorized(by: session, for: "https://api.example.com")
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await api.request { request in request.url = "https://api.example.com/" }
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Each request with a DPoP token has a new proof with the server's nonce`()
        async throws
    {
        let proofs = Locked<[[String: JsonValue]]>([])
        let server = MockTransport { request in
            let proof = try JsonWebSignature(parsing: try #require(request.header("DPoP")))
            let claims = try proof.claims()
            try proof.verify(with: JsonWebKey(members: proof.header["jwk"]?.object ?? [:]), allowing: [.es256])
            proofs.withLock { $0.append(claims) }
            if request.header("Authorization") != "DPoP canary-access-0" { return .text("", status: 500) }
            if claims["nonce"] == "n1" { return .text("hello") }
            return .text("", status: 401).header(.wwwAuthenticate, #"DPoP error="use_dpop_nonce""#)
                .header(try #require(.init("DPoP-Nonce")), "n1")
        }
        var tokens = OAuthTokens.number(0)
        tokens.tokenType = "DPoP"
        tokens.proofKey = try .generate(.es256)
        let (session, refresher) = session(tokens)
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        for _ in 0..<2 {
            #expect(try await api.request { request in request.url = "https://api.example.com/a?b=c" }.status == .ok)
        }
        let claims = proofs.withLock { $0 }
        #expect(claims.map { $0["nonce"]?.string } == [nil, "n1", "n1"])
        #expect(Set(claims.map { $0["jti"]?.string }).count == 3)
        #expect(claims.allSatisfy { $0["htu"] == "https://api.example.com/a" && $0["htm"] == "GET" })
        #expect(claims.allSatisfy { $0["ath"]?.string?.isEmpty == false })
        #expect(refresher.count.value == 0)
    }

    @Test func `An API that demands a new DPoP nonce each time receives only two requests`() async throws {
        let server = MockTransport { request in
            .text("", status: 401).header(.wwwAuthenticate, #"DPoP error="use_dpop_nonce""#)
                .header(try #require(.init("DPoP-Nonce")), "n\(Int.random(in: 0..<1_000_000))")
        }
        var tokens = OAuthTokens.number(0)
        tokens.tokenType = "dpop"
        tokens.refreshToken = nil
        tokens.proofKey = try .generate(.es256)
        let (session, _) = session(tokens)
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        let response = try await api.request { request in request.url = "https://api.example.com/" }
        #expect(response.status == .unauthorized)
        #expect(server.requests.count == 2)
    }

    @Test func `A use_dpop_nonce response does not reject the tokens, even if the body is single-use`()
        async throws
    {
        let server = MockTransport { request in
            .text("", status: 401).header(.wwwAuthenticate, #"DPoP error="use_dpop_nonce""#)
                .header(try #require(.init("DPoP-Nonce")), "n1")
        }
        var tokens = OAuthTokens.number(0)
        tokens.tokenType = "DPoP"
        tokens.proofKey = try .generate(.es256)
        let (session, refresher) = session(tokens)
        let api = client(server).authorized(by: session, for: "https://api.example.com")
        for body in [RequestBody.stream(BodyStream(AsyncStream<Data> { $0.finish() })), .none] {
            let response = try await api.request { request in
                request.url = "https://api.example.com/"
                request.setMethod(.put)
                request.body = body
            }
            #expect(response.status == .unauthorized)
        }
        _ = try await session.tokens()
        #expect(refresher.count.value == 0)
    }

    @Test func `A call waits for a refresh no longer than its timeout`() async throws {
        let answered = Signal()
        let refresher = ScriptedRefresher { number, _ in
            try await answered.wait()
            return .number(number)
        }
        let session = OAuthSession(refresher: refresher, store: MemoryTokenStore(.ended))
        let api = client(api(taking: 1)).authorized(by: session, for: "https://api.example.com")
        try await withDeadline(.patience, "the end of the call's time") {
            await #expect {
                try await api.request { request in
                    request.url = "https://api.example.com/"
                    request.timeouts = Timeouts(total: .milliseconds(50))
                }
            } throws: { error in
                if case NetworkError.timeout = error { true } else { false }
            }
        }
        answered.fire()
        #expect(try await session.tokens().accessToken == "canary-access-1")
    }

    @Test func `Tokens of an unsupported type or without their DPoP key are refused before a request`() async throws {
        for type in ["mac", "DPoP"] {
            var tokens = OAuthTokens.number(0)
            tokens.tokenType = type
            let (session, _) = session(tokens)
            let server = api(taking: 0)
            let api = client(server).authorized(by: session, for: "https://api.example.com")
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await api.request { request in request.url = "https://api.example.com/" }
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test func `Tokens and their DPoP key are restored from a file`() async throws {
        try await withTemporaryDirectory { folder in
            var tokens = OAuthTokens.number(0, at: Date(timeIntervalSince1970: 4_000_000_000))
            tokens.proofKey = try .generate(.es256)
            let store = FileTokenStore(at: folder.appendingPathComponent("tokens/t.json"))
            try await OAuthSession(refresher: ScriptedRefresher { _, old in old }, store: store).save(tokens)
            #expect(try await store.load()?.tokens == tokens)
        }
    }

    @Test func `A trace-level log contains no token that is sent or received`() async throws {
        let journal = Journal()
        try await RotatingServer.run { server in
            let client = HttpClient.createClient { config in config.logger = CapturingLog.logger(journal) }
            defer { client.close() }
            let grant = server.book.update { $0.logIn() }
            let session = OAuthSession(
                refresher: FormRefresher(client, at: server.tokenUrl),
                store: MemoryTokenStore(OAuthTokens(grant, expiresAt: Date(timeIntervalSince1970: 0))),
                logger: CapturingLog.logger(journal)
            )
            let api = client.authorized(by: session, for: server.apiUrl)
            let response = try await api.request { $0.url = server.apiUrl }
            #expect(response.status == .ok)
            server.book.update { $0.endLogins() }
            await expectError(\NetworkError.kind, "networkError") { try await api.request { $0.url = server.apiUrl } }
        }
        #expect(journal.entries.contains { $0.contains("/token") })
        #expect(journal.entries.filter { $0.contains("canary") }.isEmpty)
    }

    @Test func `Logs, errors and dumps contain no token`() async throws {
        let journal = Journal()
        let server = api(taking: 7)
        let answers = Locked(0)
        let refresher = ScriptedRefresher { number, _ in
            if answers.withLock({ $0 }) == 1 {
                throw OAuthError(
                    error: "invalid_grant",
                    errorDescription: "canary-refresh-1 is over",
                    status: 400,
                    body: Data("canary-refresh-1".utf8),
                    failure: NetworkFailure("the server refused")
                )
            }
            return .number(number)
        }
        let session = OAuthSession(
            refresher: refresher,
            store: MemoryTokenStore(.ended),
            logger: CapturingLog.logger(journal)
        )
        let plain = HttpClient.createClient { config in
            config.transport = server
            config.logger = CapturingLog.logger(journal)
        }
        let api = plain.authorized(by: session, for: "https://api.example.com")
        _ = try await api.request { request in request.url = "https://api.example.com/" }
        answers.withLock { $0 = 1 }
        var text = ""
        do {
            try await session.refresh()
            Issue.record("not refused")
        } catch {
            dump(error, to: &text)
            text += "\(error) \(error.localizedDescription) \(error.networkError) \(String(reflecting: error))"
            dump(error.networkError, to: &text)
        }
        dump(session, to: &text)
        dump(OAuthAuthentication(session, for: ["https://api.example.com"]), to: &text)
        dump(TokenRecord(tokens: .number(1)), to: &text)
        text += journal.entries.joined(separator: "\n")
        #expect(journal.entries.contains { $0.contains("Authorization") })
        #expect(journal.entries.contains { $0.contains("The session has ended") })
        #expect(!text.contains("canary"))
    }
}

private struct SendElsewhere: Interceptor {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.url = "https://evil.example/"
        return try await next(request)
    }
}
