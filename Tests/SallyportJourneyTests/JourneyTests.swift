import ClientTestSupport
import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct JourneyTests {
    @Test func `A user signs in with a name and a password, and a call gets tokens for the session`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.name, CallbackText.password), .session())
        server.issueTokens()
        server.transport.on(.get, "/me", .text("hello"))
        let journey = try server.journey()

        var node = try node(in: await journey.start())
        #expect(node[NameCallback.self]?.prompt == "User Name")
        node[NameCallback.self]?.name = "alice"
        node[PasswordCallback.self]?.password = "wonderland"
        let session = try #require(try session(in: await node.next()))
        #expect(session.token == "session-1")
        #expect(session.realm == "/alpha")
        #expect(session.successURL == "/am/console")
        #expect(try await journey.session() == session)

        let api = journey.httpClient.authorized(by: journey.oauthSession, for: "https://api.example.com")
        let response = try await api.request { request in request.url = "https://api.example.com/me" }
        #expect(response.bodyAsString() == "hello")
        #expect(server.requests("/me").first?.header("Authorization") == "Bearer access-1")
        #expect(server.requests("/me").first?.header("Cookie") == nil)
    }

    @Test func `Requests have the URLs, headers and bodies of PingAM`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.name), .session())
        let journey = try server.journey()
        var node = try node(in: await journey.start("My Tree/é"))
        node[NameCallback.self]?.name = "alice"
        _ = try await node.next()

        let start = try #require(server.treeRequests.first)
        #expect(
            start.url == "https://am.example.com\(TreeServer.realm)/authenticate"
                + "?authIndexType=service&authIndexValue=My%20Tree%2F%C3%A9"
        )
        #expect(start.body.isEmpty)
        #expect(start.header("accept-api-version") == "resource=2.1, protocol=1.0")
        #expect(start.timeouts.total?.roundedUp == 30)
        let step = try #require(server.treeRequests.last)
        #expect(step.url == "https://am.example.com\(TreeServer.realm)/authenticate")
        #expect(step.header("accept-api-version") == "resource=2.1, protocol=1.0")
        #expect(step.header("Content-Type") == "application/json")
        #expect(
            step.text
                == #"{"authId":"id-1","callbacks":[\#(CallbackText.name.replacing(#""value":"""#, with: #""value":"alice""#))]}"#
        )
    }

    @Test func `ForceAuth is sent with the first request, noSession with each one`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling), .json(#"{"successUrl":"/am/console","realm":"/alpha"}"#))
        let journey = try server.journey()
        let node = try node(in: await journey.start(forceAuth: true, noSession: true))
        #expect(try session(in: await node.next()) == nil)
        #expect(
            server.treeRequests.map(\.query) == [
                "authIndexType=service&authIndexValue=Login&ForceAuth=true&noSession=true", "noSession=true",
            ]
        )
        #expect(try await journey.session() == nil)
    }

    @Test func `Without a tree, nothing is sent`() async throws {
        let server = TreeServer()
        let client = HttpClient.createClient { $0.transport = server.transport }
        let journey = Journey(try TreeServer.settings(tree: nil), httpClient: client)
        await expectError(\JourneyError.kind, "invalidConfiguration") { try await journey.start() }
        await expectError(\JourneyError.kind, "invalidConfiguration") { try await journey.start("") }
        #expect(server.transport.requests.isEmpty)
    }

    @Test func `Actions carry the tree and the type at each step, and only the type after a resumption`() async throws {
        let server = TreeServer()
        let actions = ActionRecorder()
        let journey = try server.journey { $0.addInterceptor(actions) }
        let advice = try #require(Advice(name: "TransactionConditionAdvice", value: "tx-1"))
        for step in 0..<3 {
            server.answer(.node(CallbackText.polling), .session())
            let start =
                switch step {
                case 0: try await journey.start()
                case 1: try await journey.stepUp(advice: advice)
                default: try await journey.resume(url: TreeServer.base + "/XUI/?suspendedId=s-1")
                }
            _ = try await node(in: start).next()
        }
        let adviced: [String: JsonValue] = ["tree": .string(advice.xml), "type": "composite_advice"]
        #expect(
            actions.actions == [
                Action(.startAuthenticate, payload: ["tree": "Login", "type": "service"]),
                Action(.authenticate, payload: ["tree": "Login", "type": "service"]),
                Action(.startAuthenticate, payload: adviced), Action(.authenticate, payload: adviced),
                Action(.resumeAuthenticate, payload: ["type": "service"]),
                Action(.authenticate, payload: ["type": "service"]),
            ]
        )
    }

    @Test func `An authorized client sends no access token with requests of trees and sessions`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling), .session())
        server.transport.on(.post, TreeServer.realm + "/sessions", .json(#"{"result":"Successfully logged out"}"#))
        let client = OAuthClient(issuer: "https://id.example.com", clientID: "other")
        let record = TokenRecord(tokens: OAuthTokens(accessToken: "user-token"), client: client.identity)
        let session = OAuthSession(refresher: client, store: MemoryTokenStore(record))
        let journey = try server.journey { config in
            config.authentication = [.oauth(session, for: "https://am.example.com")]
        }
        _ = try await node(in: await journey.start()).next()
        try await journey.endSession()
        #expect(server.transport.requests.count == 3)
        #expect(server.transport.requests.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test func `Interceptors of the seed change the first request, or each request, of a tree`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling), .session())
        let journey = try server.journey { config in
            config.addInterceptor(QueryAndHeader())
            config.addInterceptor(MemberCookie())
        }
        _ = try await node(in: await journey.start()).next()
        let (start, step) = (server.treeRequests[0], server.treeRequests[1])
        #expect(start.query == "authIndexType=service&authIndexValue=Login&ForceAuth=true")
        #expect(start.header("Accept-Language") == "en-GB")
        #expect(step.query == nil && step.header("Accept-Language") == nil)
        #expect([start, step].allSatisfy { $0.header("Cookie") == "member=gold; level=2" })
    }

    @Test func `A repeated sign-in sends the cookies of the session together with those of an interceptor`()
        async throws
    {
        let server = TreeServer()
        server.answer(.session())
        let journey = try server.journey { $0.addInterceptor(MemberCookie()) }
        _ = try await journey.start()
        _ = try await journey.start()
        #expect(server.treeRequests.last?.header("Cookie") == "member=gold; level=2; iPlanetDirectoryPro=session-1")
    }

    @Test(arguments: [MockResponse.fail(.connectionLost("lost")), .status(503)])
    func `A request of a tree is not repeated by the retry policy of the client`(_ response: MockResponse) async throws
    {
        let server = TreeServer()
        server.answer(response)
        let journey = try server.journey { config in
            var policy = RetryPolicy.constant(attempts: 4, delay: .zero)
            policy.methods.insert(.post)
            policy.addsIdempotencyKey = true
            config.retry = policy
        }
        _ = try? await journey.start()
        #expect(server.treeRequests.count == 1)
        #expect(server.treeRequests.first?.header("Idempotency-Key") == nil)
    }

    @Test(arguments: [true, false])
    func `The iOS sample of the seed changes all requests of a tree, and the JavaScript sample the first one`(
        isIOS: Bool
    ) async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling), .session())
        let journey = try server.journey { config in
            if isIOS {
                config.addInterceptor(BothActions())
            } else {
                config.onRequest { request in
                    guard request.action?.type == "START_AUTHENTICATE" else { return }
                    request.setParameter(name: "ForceAuth", value: "true")
                    request.addHeader(name: "Accept-Language", value: "en-GB")
                }
            }
        }
        _ = try await node(in: await journey.start()).next()
        #expect(server.treeRequests.map { $0.query?.contains("ForceAuth=true") ?? false } == [true, isIOS])
        #expect(server.treeRequests.map { $0.header("Accept-Language") } == ["en-GB", isIOS ? "en-GB" : nil])
    }

    @Test func `An interceptor can change the URL, the method and the body of a step`() async throws {
        let server = TreeServer()
        server.answer(.node(CallbackText.polling))
        server.transport.on(.put, "/am/other", .session())
        let journey = try server.journey { $0.addInterceptor(OtherRequest()) }
        let node = try node(in: await journey.start())
        #expect(try session(in: await node.next())?.token == "session-1")
        #expect(server.requests("/am/other").map(\.text) == [#"{"changed":true}"#])
        #expect(server.treeRequests.count == 1)
    }

    @Test func `A logout is one action, without a payload`() async throws {
        let server = TreeServer()
        server.answer(.session())
        server.transport.on(.post, TreeServer.realm + "/sessions", .json("{}"))
        let actions = ActionRecorder()
        let journey = try server.journey { $0.addInterceptor(actions) }
        _ = try await journey.start()
        try await journey.endSession()
        #expect(actions.actions.dropFirst() == [Action(.logout)])
    }

    @Test func `A session survives invalid input`() async throws {
        let server = TreeServer()
        server.answer(.session())
        let journey = try server.journey()
        _ = try await journey.start()
        server.answer(.node(CallbackText.name))
        let node = try node(in: await journey.start(forceAuth: true))
        await expectError(\JourneyError.kind, "missingAnswer") { try await node.next() }
        await expectError(\JourneyError.kind, "foreignLink") {
            try await journey.resume(url: "https://am.example.com.evil.com/am?suspendedId=s-1")
        }
        server.answer(.treeFailure("Timeout", detail: #"{"errorCode":"110"}"#))
        #expect(try failure(in: await journey.start(forceAuth: true)).kind == .expired)
        #expect(try await journey.session()?.token == "session-1")
    }

    @Test func `Logs, errors and descriptions contain no answer, token or identifier`() async throws {
        let journal = Journal()
        let server = TreeServer()
        let registration =
            CallbackText.make(
                "HiddenValueCallback",
                output: [
                    CallbackText.output("id", #""mfaDeviceRegistration""#),
                    CallbackText.output("value", #""pushauth://push/am:alice?s=canary-push&m=1""#),
                ].joined(separator: ",")
            )
        let script = CallbackText.make(
            "TextOutputCallback",
            output: [
                CallbackText.output(
                    "message",
                    #""createCode({text: 'pushauth\\x3A\\x2F\\x2Fpush\\x3Fs\\x3Dcanary'})""#
                ),
                CallbackText.output("messageType", #""4""#),
            ].joined(separator: ",")
        )
        server.answer(
            .node(CallbackText.name, CallbackText.password, registration, script, authID: "canary-authid"),
            .treeFailure("no"),
            .session("canary-session")
        )
        server.transport.on(.post, TreeServer.realm + "/sessions", .json(#"{"result":"ok"}"#))
        let journey = try server.journey { $0.logger = CapturingLog.logger(journal) }
        var node = try node(in: await journey.start())
        node[NameCallback.self]?.name = "canary-name"
        node[PasswordCallback.self]?.password = "canary-password"
        var shown = ""
        for value: Any in [
            node, node.callbacks, node[PasswordCallback.self] as Any, node[HiddenValueCallback.self] as Any,
        ] {
            shown += "\(value)"
            dump(value, to: &shown)
        }
        _ = try await node.next()
        let step = try await journey.resume(url: TreeServer.base + "?suspendedId=canary-suspended")
        dump(step, to: &shown)
        shown += "\(step)"
        try await journey.endSession()
        #expect(!shown.contains("canary"), "\(shown)")
        #expect(journal.entries.filter { $0.contains("canary") }.isEmpty)
        #expect(journal.entries.count >= 8)
    }
}

/// The interceptor of the Android sample for query parameters and headers.
private struct QueryAndHeader: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        guard action.type == "START_AUTHENTICATE" else { return request }
        var request = request
        request.setParameter(name: "ForceAuth", value: "true")
        request.addHeader(name: "Accept-Language", value: "en-GB")
        return request
    }
}

/// The interceptor of the iOS sample for cookies.
private struct MemberCookie: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        var request = request
        request.setHeader(name: "Cookie", value: "member=gold; level=2")
        return request
    }
}

/// The interceptor of the iOS sample for query parameters and headers.
private struct BothActions: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        guard ["START_AUTHENTICATE", "AUTHENTICATE"].contains(action.type) else { return request }
        var request = request
        request.setParameter(name: "ForceAuth", value: "true")
        request.setHeader(name: "Accept-Language", value: "en-GB")
        return request
    }
}

/// An interceptor that replaces a step by another request.
private struct OtherRequest: ActionInterceptor {
    func intercept(request: HttpRequest, action: Action) -> HttpRequest {
        guard action.type == "AUTHENTICATE" else { return request }
        var request = request
        request.url = "https://am.example.com/am/other"
        request.put(contentType: "application/json", body: #"{"changed":true}"#)
        return request
    }
}
