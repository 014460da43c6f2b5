import ClientTestSupport
import Foundation
import Sallyport
import SallyportJourney
import SallyportTransport
import TestSupport
import Testing

/// The interceptor samples of the seed 001 in the form of Sallyport, with the trees of a gateway.
@Suite(.concurrencyLimited) struct GatewayInterceptorSamplesTests {
    // MARK: Android

    /// The sample for query parameters and headers.
    private struct QueryParamsAndHeader: ActionInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            guard action.type == "START_AUTHENTICATE" else { return request }
            var request = request
            request.addParameter(name: "ForceAuth", value: "true")
            request.addHeader(name: "Accept-Language", value: "en-GB")
            return request
        }
    }

    /// The sample for cookies, for the host of the gateway.
    private struct CustomCookie: ActionInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            var request = request
            request.addCookie(cookie: "member=gold")
            return request
        }
    }

    @Test func `The Android samples, registered together, change the start of a tree, and add a cookie to each step`()
        async throws
    {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            gateway.interceptors.register(QueryParamsAndHeader(), CustomCookie())
            let requests = try await repeatSignIn(gateway, after: session)
            #expect(requests.map { $0.query["ForceAuth"] } == ["true", nil])
            #expect(requests.map { $0["Accept-Language"] } == [["en-GB"], []])
            let cookies = ["member": "gold", "iPlanetDirectoryPro": session.token]
            #expect(requests.map(\.cookies) == [cookies, cookies])
        }
    }

    // MARK: iOS

    /// The sample for query parameters and headers.
    private struct QueryParamsAndHeaderOfBoth: ActionInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            guard action.type == "START_AUTHENTICATE" || action.type == "AUTHENTICATE" else { return request }
            var request = request
            request.setParameter(name: "ForceAuth", value: "true")
            request.setHeader(name: "Accept-Language", value: "en-GB")
            return request
        }
    }

    /// The sample for cookies.
    private struct CookieHeader: ActionInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            guard action.type == "START_AUTHENTICATE" || action.type == "AUTHENTICATE" else { return request }
            var request = request
            request.setHeader(name: "Cookie", value: "member=gold; level=2")
            return request
        }
    }

    @Test func `The iOS samples, registered together, change each step of a tree`() async throws {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            gateway.interceptors.register(QueryParamsAndHeaderOfBoth(), CookieHeader())
            let requests = try await repeatSignIn(gateway, after: session)
            #expect(requests.map { $0.query["ForceAuth"] } == ["true", "true"])
            #expect(requests.map { $0["Accept-Language"] } == [["en-GB"], ["en-GB"]])
            let cookies = ["member": "gold", "level": "2", "iPlanetDirectoryPro": session.token]
            #expect(requests.map(\.cookies) == [cookies, cookies])
            // Other actions are unchanged.
            try await gateway.journey.requestTokens()
            let others = gateway.requests.filter { !$0.path.hasSuffix("/authenticate") }
            #expect(others.count >= 2)
            #expect(others.allSatisfy { $0["Accept-Language"].isEmpty && $0.cookies["member"] == nil })
        }
    }

    @Test func `The server accepts the session's cookie beside those of an interceptor`() async throws {
        try await RecordedGateway.with { gateway in
            let session = try await gateway.signIn()
            gateway.interceptors.register(CookieHeader())
            // Without ForceAuth, the tree of the session ends at once.
            try await gateway.expectSession(session)
            #expect(gateway.treeRequests.last?.cookies["level"] == "2")
        }
    }

    // MARK: JavaScript

    @Test func `The JavaScript samples change the start of a tree only`() async throws {
        try await RecordedGateway.with { config, _ in
            config.onRequest { request in
                if request.action?.type == "START_AUTHENTICATE" {
                    request.setParameter(name: "ForceAuth", value: "true")
                }
            }
            config.onRequest { request in
                if request.action?.type == "START_AUTHENTICATE" {
                    request.addHeader(name: "Accept-Language", value: "en-GB")
                }
            }
        } _: { gateway in
            let session = try await gateway.signIn()
            let requests = try await repeatSignIn(gateway, after: session)
            #expect(requests.map { $0.query["ForceAuth"] } == ["true", nil])
            #expect(requests.map { $0["Accept-Language"] } == [["en-GB"], []])
        }
    }

    /// Signs in again while there is a session, which the tree replaces because an interceptor demands ForceAuth.
    ///
    /// - Returns: The requests of the second sign-in, as they arrived at the server.
    private func repeatSignIn(
        _ gateway: RecordedGateway,
        after session: JourneySession
    ) async throws -> [ReceivedRequest] {
        let count = gateway.treeRequests.count
        var page = try node(in: await gateway.journey.start())
        try await RecordedGateway.alice(&page)
        let second = try #require(try SallyportJourneyTests.session(in: await page.next()))
        #expect(second.token != session.token)
        let requests = Array(gateway.treeRequests.dropFirst(count))
        #expect(requests.count == 2)
        return requests
    }

    // MARK: Changes of the URL, the method and the body

    /// Sends the requests of trees to another realm, and corrects the password in their bodies.
    private struct OtherRealm: ActionInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            var request = request
            request.url = request.url?.replacing("/realms/root/", with: "/realms/root/realms/alpha/")
            if let body = request.body.text {
                request.setBody(Data(body.replacing("wunderland", with: "wonderland").utf8))
            }
            return request
        }
    }

    @Test func `An interceptor signs in to another realm with another answer by changing the URL and the body`()
        async throws
    {
        try await RecordedGateway.with { gateway in
            gateway.interceptors.register(OtherRealm())
            var page = try node(in: await gateway.journey.start())
            page[NameCallback.self]?.name = "alice"
            page[PasswordCallback.self]?.password = "wunderland"
            #expect(try session(in: await page.next())?.realm == "/alpha")
            let path = "/json/realms/root/realms/alpha/authenticate"
            #expect(gateway.requests.map(\.path) == [path, path])
            #expect(gateway.requests.last?.bodyText.contains(#""value":"wonderland""#) == true)
        }
    }

    /// Replaces the steps of trees by another request.
    private struct OtherRequest: ActionInterceptor {
        let url: String

        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            guard action.type == "AUTHENTICATE" else { return request }
            var request = request
            request.url = url
            request.put(contentType: "text/plain", body: "changed")
            return request
        }
    }

    @Test func `A step that an interceptor replaces by another URL, method and body can be sent later`() async throws {
        try await RecordedGateway.with { gateway in
            gateway.interceptors.register(OtherRequest(url: gateway.base + "/echo/changed"))
            var page = try node(in: await gateway.journey.start())
            try await RecordedGateway.alice(&page)
            // The server describes the request, which is no response of a tree.
            await expectError(\JourneyError.kind, "invalidResponse") { [page] in try await page.next() }
            let changed = try #require(gateway.requests.last)
            #expect("\(changed.method) \(changed.target)" == "PUT /echo/changed")
            #expect(changed["Content-Type"] == ["text/plain"])
            #expect(changed.bodyText == "changed")
            gateway.interceptors.register()
            #expect(try session(in: await page.next()) != nil)
        }
    }

    // MARK: Payloads

    private static let trees = """
        {
          "Login": {"start": "ask", "nodes": {
            "ask": {"type": "username", "next": "password"},
            "password": {"type": "password", "next": "check"},
            "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
          }},
          "StepUp": {"start": "confirm", "nodes": {
            "confirm": {"type": "message", "message": "Do you want to pay?", "options": ["Yes"], "next": {"Yes": "ask"}},
            "ask": {"type": "password", "next": "check"},
            "check": {"type": "check-password", "next": {"true": "success", "false": "failure"}}
          }},
          "MagicLink": {"start": "ask", "nodes": {
            "ask": {"type": "username", "next": "link"},
            "link": {"type": "suspend", "next": "news"},
            "news": {"type": "choice", "choices": ["Yes", "No"], "next": "success"}
          }}
        }
        """

    @Test
    func `Each step carries the tree and the type, also after an advice, and that of a resumed tree only the type`()
        async throws
    {
        try await RecordedGateway.with(trees: Self.trees) { gateway in
            gateway.interceptors.register(ActionStamp())
            try await gateway.signIn()
            let resource = gateway.base + "/protected/transaction"
            let refused = try await gateway.journey.httpClient.request { $0.url = resource }
            let advice = try #require(Advice(in: refused))
            _ = try await gateway.journey.stepUp(advice: advice).complete(answering: RecordedGateway.alice)
            let confirmed = "\(resource)?_txid=\(advice.transactionID ?? "")"
            #expect(try await gateway.journey.httpClient.request { $0.url = confirmed }.status == .ok)
            var name = try node(in: await gateway.journey.start("MagicLink", forceAuth: true))
            try await RecordedGateway.alice(&name)
            _ = try await name.next()
            let link = try #require(await gateway.server.inbox.first?.link)
            _ = try await gateway.journey.resume(url: link).complete(answering: RecordedGateway.alice)

            let login: [String: JsonValue] = ["tree": "Login", "type": "service"]
            let adviced: [String: JsonValue] = ["tree": .string(advice.xml), "type": "composite_advice"]
            let suspended: [String: JsonValue] = ["tree": "MagicLink", "type": "service"]
            let resumed: [String: JsonValue] = ["type": "service"]
            let expected: [(String, [String: JsonValue])] = [
                ("START_AUTHENTICATE", login), ("AUTHENTICATE", login), ("AUTHENTICATE", login),
                ("START_AUTHENTICATE", adviced), ("AUTHENTICATE", adviced), ("AUTHENTICATE", adviced),
                ("START_AUTHENTICATE", suspended), ("AUTHENTICATE", suspended),
                ("RESUME_AUTHENTICATE", resumed), ("AUTHENTICATE", resumed),
            ]
            #expect(gateway.treeRequests.map { $0[ActionStamp.typeField] } == expected.map { [$0.0] })
            let payloads = try expected.map { [try ActionStamp.text($0.1)] }
            #expect(gateway.treeRequests.map { $0[ActionStamp.payloadField] } == payloads)
            // The server has received the same tree or advice with each first request.
            #expect(
                gateway.treeRequests.compactMap { $0.query["authIndexValue"] } == ["Login", advice.xml, "MagicLink"]
            )
        }
    }
}
