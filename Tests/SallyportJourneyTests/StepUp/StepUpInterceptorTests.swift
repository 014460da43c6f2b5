import ClientTestSupport
import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct StepUpInterceptorTests {
    private static let redirect = MockResponse.redirect(
        to: "https://am.example.com/am/?authIndexType=composite_advice&authIndexValue="
            + "%3CAdvices%3E%3CAttributeValuePair%3E%3CAttribute%20name%3D%22TransactionConditionAdvice%22%2F%3E"
            + "%3CValue%3Etx-1%3C%2FValue%3E%3C%2FAttributeValuePair%3E%3C%2FAdvices%3E",
        status: 307
    )

    private static let challenge =
        #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age="60""#

    /// A server that demands the confirmation of each payment.
    private static func paymentServer() -> TreeServer {
        let server = TreeServer()
        server.issueTokens()
        server.answer(.session())
        server.transport.on(.post, "/pay") { request in
            queryPairs(request.query ?? "")["_txid"] == "tx-1" ? .text("paid \(request.text)") : redirect
        }
        return server
    }

    @Test func `A transaction is confirmed with the tree of the advice, and the call repeated with its identifier`()
        async throws
    {
        let server = Self.paymentServer()
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.password), .session())
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { node in
            node[PasswordCallback.self]?.password = "wonderland"
        }
        let response = try await api.request { request in
            request.url = "https://api.example.com/pay?to=bob"
            request.post(contentType: "text/plain", body: "5 €")
        }
        #expect(response.bodyAsString() == "paid 5 €")
        #expect(server.requests("/pay").map(\.query) == ["to=bob", "to=bob&_txid=tx-1"])
        #expect(server.requests("/pay").allSatisfy { $0.header("Authorization") == "Bearer access-1" })
        let start = try #require(server.treeRequests.dropFirst().first)
        #expect(queryPairs(start.query ?? "")["authIndexType"] == "composite_advice")
        #expect(start.header("Cookie") == "iPlanetDirectoryPro=session-1")
    }

    @Test func `The time of the user does not count towards the timeout of the call`() async throws {
        let server = Self.paymentServer()
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .session())
        let origins = try OriginSet(["https://api.example.com"])
        let recorder = TimeLeftRecorder()
        let pause = Duration.milliseconds(300)
        let api = journey.httpClient.derived { config in
            config.timeout = 60
            config.authentication = [
                StepUpInterceptor(journey, for: origins) { _ in try await Task.sleep(for: pause) }, recorder,
            ]
        }
        let clock = ContinuousClock()
        let start = clock.now
        let response = try await api.request { request in
            request.url = "https://api.example.com/pay"
            request.post(contentType: "text/plain", body: "")
        }
        let duration = clock.now - start
        #expect(response.status == .ok)
        let times = recorder.times
        try #require(times.count == 2)
        #expect(times[0] - times[1] <= duration - pause)
    }

    @Test func `A call whose tree fails throws the failure, and is not repeated`() async throws {
        let server = Self.paymentServer()
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.treeFailure())
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { _ in }
        let error = await failure { () async throws(NetworkError) in
            try await api.request { request in
                request.url = "https://api.example.com/pay"
                request.post(contentType: "text/plain", body: "")
            }
        }
        let treeError = try #require(error?.failure.underlying as? JourneyError)
        #expect(treeError.failureKind == .wrongAnswer)
        #expect(server.requests("/pay").count == 1)
        #expect(try await journey.session()?.token == "session-1")
    }

    @Test func `Demands of other servers and second demands are ordinary responses`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens()
        server.transport.on(.get, "/pay", Self.redirect)
        let journey = try server.journey()
        _ = try await journey.start()
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { _ in }
        let foreign = try await api.request { $0.url = "https://shop.example.com/pay" }
        #expect(foreign.status.code == 307)
        #expect(server.treeRequests.count == 1)
        let repeated = try await api.request { $0.url = "https://api.example.com/pay" }
        #expect(repeated.status.code == 307)
        #expect(server.treeRequests.count == 2)
    }

    @Test func `A demand for a stronger authentication obtains new tokens for its level, and the old ones are revoked`()
        async throws
    {
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens()
        server.transport.on(.get, "/me") { request in
            if request.header("Authorization") == "Bearer access-2" { return .text("hello") }
            return .text("", status: 401).header(.wwwAuthenticate, Self.challenge)
        }
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .session())
        let origins = try OriginSet(["https://api.example.com"])
        var stepUp = StepUpInterceptor(journey, for: origins) { _ in }
        stepUp.trees = ["gold": "GoldTree"]
        let api = journey.httpClient.derived { [stepUp] config in
            config.authentication = [stepUp, OAuthAuthentication(journey.oauthSession, for: origins)]
        }
        let response = try await api.request { $0.url = "https://api.example.com/me" }
        #expect(response.bodyAsString() == "hello")
        #expect(server.requests("/me").count == 2, "valid tokens are not refreshed")
        let start = queryPairs(server.treeRequests[1].query ?? "")
        #expect(start["authIndexValue"] == "GoldTree" && start["ForceAuth"] == "true")
        let authorize = queryPairs(server.requests(TreeServer.oauth + "/authorize").last?.query ?? "")
        #expect(authorize["acr_values"] == "gold silver" && authorize["max_age"] == "60")
        #expect(
            server.requests(TreeServer.oauth + "/token/revoke").map { queryPairs($0.text)["token"] } == [
                "refresh-1", "access-1",
            ]
        )
    }

    @Test func `Concurrent calls that demand a stronger authentication ask the user once`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens()
        let rejected = Watched(0)
        server.transport.on(.get, "/me") { request in
            if request.header("Authorization") == "Bearer access-2" { return .text("hello") }
            rejected.update { $0 += 1 }
            return .text("", status: 401).header(.wwwAuthenticate, Self.challenge)
        }
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .session())
        let asked = Watched(0)
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { _ in
            asked.update { $0 += 1 }
            try await rejected.wait("all calls to be rejected") { $0 == 5 }
        }
        try await withThrowingTaskGroup(of: HttpResponse.self) { group in
            for _ in 0..<5 { group.addTask { try await api.request { $0.url = "https://api.example.com/me" } } }
            for try await response in group { #expect(response.status == .ok) }
        }
        #expect(asked.value == 1)
    }

    @Test func `Concurrent calls that demand a session of another tree ask the user once`() async throws {
        let advice = Data(#"{"AuthenticateToServiceConditionAdvice":["/alpha:StepUp"]}"#.utf8).base64EncodedString()
        let server = TreeServer()
        server.answer(.session())
        let rejected = Watched(0)
        server.transport.on(.get, "/api") { request in
            if request.header("Cookie") == "iPlanetDirectoryPro=session-2" { return .text("hello") }
            rejected.update { $0 += 1 }
            return .text("", status: 401).header(.wwwAuthenticate, "SSOADVICE realm=\"/alpha\",advices=\"\(advice)\"")
        }
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .session("session-2"))
        let asked = Watched(0)
        let origins = try OriginSet(["https://am.example.com"])
        let api = journey.httpClient.derived { config in
            config.authentication = [
                StepUpInterceptor(journey, for: origins) { _ in
                    asked.update { $0 += 1 }
                    try await rejected.wait("all calls to be rejected") { $0 == 5 }
                }
            ]
        }
        try await withThrowingTaskGroup(of: HttpResponse.self) { group in
            for _ in 0..<5 { group.addTask { try await api.request { $0.url = "https://am.example.com/api" } } }
            for try await response in group { #expect(response.bodyAsString() == "hello") }
        }
        #expect(asked.value == 1)
    }

    @Test func `Concurrent calls of two clients with access tokens ask the user once for an advice`() async throws {
        let advice = Data(#"{"AuthenticateToServiceConditionAdvice":["/alpha:StepUp"]}"#.utf8).base64EncodedString()
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens()
        let rejected = Watched(0)
        server.transport.on(.get, "/api") { request in
            if request.header("Authorization") == "Bearer access-2" { return .text("hello") }
            rejected.update { $0 += 1 }
            return .text("", status: 401).header(.wwwAuthenticate, "SSOADVICE realm=\"/alpha\",advices=\"\(advice)\"")
        }
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .session("session-2"))
        let asked = Watched(0)
        let plain = HttpClient.createClient { $0.transport = server.transport }
        let clients = try (0..<2).map { _ in
            try plain.authorized(by: journey, for: "https://api.example.com") { _ in
                asked.update { $0 += 1 }
                try await rejected.wait("all calls to be rejected") { $0 == 6 }
            }
        }
        try await withThrowingTaskGroup(of: HttpResponse.self) { group in
            for number in 0..<6 {
                group.addTask { try await clients[number % 2].request { $0.url = "https://api.example.com/api" } }
            }
            for try await response in group { #expect(response.bodyAsString() == "hello") }
        }
        #expect(asked.value == 1)
        #expect(server.treeRequests.count == 3)
    }

    @Test func `Tokens that were only refreshed meanwhile do not meet a demand`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens()
        let journey = try server.journey()
        _ = try await journey.start()
        let asked = Watched(0)
        server.transport.on(.get, "/me") { request in
            if asked.value == 1 { return .text("hello") }
            _ = try await journey.oauthSession.refresh()
            return .text("", status: 401).header(.wwwAuthenticate, Self.challenge)
        }
        server.answer(.node(CallbackText.text), .session())
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { _ in
            asked.update { $0 += 1 }
        }
        #expect(try await api.request { $0.url = "https://api.example.com/me" }.status == .ok)
        #expect(asked.value == 1)
    }

    @Test func `A call of the closure that answers a node gets the demand as a response`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens()
        server.transport.on(.get, "/me") { request in
            if request.header("Authorization") == "Bearer access-2" { return .text("hello") }
            return .text("", status: 401).header(.wwwAuthenticate, Self.challenge)
        }
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .session())
        let client = Locked<HttpClient?>(nil)
        let status = Locked<Int?>(nil)
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { _ in
            let response = try await client.withLock { $0 }?.request { $0.url = "https://api.example.com/me" }
            status.withLock { $0 = response?.status.code }
        }
        client.withLock { $0 = api }
        #expect(try await api.request { $0.url = "https://api.example.com/me" }.bodyAsString() == "hello")
        #expect(status.withLock { $0 } == 401)
        client.withLock { $0 = nil }
    }

    @Test func `A step-up that takes too long fails with a timeout, and the next one is possible`() async throws {
        let server = Self.paymentServer()
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .node(CallbackText.text), .session())
        let origins = try OriginSet(["https://api.example.com"])
        let isPatient = Locked(false)
        var stepUp = StepUpInterceptor(journey, for: origins) { _ in
            if !isPatient.withLock({ $0 }) { try await waitForCancellation() }
        }
        stepUp.limit = .milliseconds(50)
        func pay(_ stepUp: StepUpInterceptor) async throws(NetworkError) -> HttpResponse {
            let api = journey.httpClient.derived { $0.authentication = [stepUp] }
            return try await api.request { request in
                request.url = "https://api.example.com/pay"
                request.post(contentType: "text/plain", body: "")
            }
        }
        await expectError(\NetworkError.kind, "timeout") { [stepUp] in try await pay(stepUp) }
        #expect(server.requests("/pay").count == 1)
        isPatient.withLock { $0 = true }
        stepUp.limit = .seconds(60)
        #expect(try await pay(stepUp).status == .ok)
    }

    @Test(arguments: [
        #"Bearer error="insufficient_user_authentication", acr_values="gold""#,
        "SSOADVICE advices=\"" + Data(#"{"AuthLevelConditionAdvice":["5"]}"#.utf8).base64EncodedString() + "\"",
    ])
    func `A call is not repeated if another user completes the tree`(_ challenge: String) async throws {
        let server = TreeServer()
        server.answer(.session())
        server.issueTokens(to: "alice", "bob")
        server.transport.on(.post, "/transfers", .text("", status: 401).header(.wwwAuthenticate, challenge))
        let journey = try server.journey(configureOAuth: TreeServer.acceptIdTokens)
        _ = try await journey.start()
        server.answer(.node(CallbackText.text), .session("session-2"))
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { _ in }
        let error = await failure { () async throws(NetworkError) in
            try await api.request { request in
                request.url = "https://api.example.com/transfers"
                request.post(contentType: "text/plain", body: "")
            }
        }
        #expect((error?.failure.underlying as? JourneyError)?.kind == "handler")
        #expect(error?.description.contains("another user has signed in") == true)
        #expect(server.requests("/transfers").count == 1)
    }

    @Test func `A body that can be sent only once is not repeated`() async throws {
        let server = Self.paymentServer()
        let journey = try server.journey()
        _ = try await journey.start()
        let api = try journey.httpClient.authorized(by: journey, for: "https://api.example.com") { _ in }
        let response = try await api.request { request in
            request.url = "https://api.example.com/pay"
            request.setMethod(.post)
            request.body = .stream(BodyStream(AsyncStream<Data> { $0.finish() }))
        }
        #expect(response.status.code == 307)
        #expect(server.treeRequests.count == 1)
    }

    @Test func `Invalid origins are refused`() throws {
        let journey = try TreeServer().journey()
        expectError(\NetworkError.kind, "invalidRequest") {
            try journey.httpClient.authorized(by: journey, for: "api.example.com") { _ in }
        }
    }
}

/// Records the time that is left for a call at each attempt.
private struct TimeLeftRecorder: Interceptor {
    private let recorded = Locked<[Duration]>([])

    var times: [Duration] { recorded.withLock { $0 } }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        if let left = next.timeLeft(for: request) { recorded.withLock { $0.append(left) } }
        return try await next(request)
    }
}
