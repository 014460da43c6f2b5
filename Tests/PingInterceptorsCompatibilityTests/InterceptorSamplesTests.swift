import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import SallyportJOSE
import SallyportOAuth
import TestSupport
import Testing

/// The Swift samples of the seed 001, with requests to a gateway.
///
/// Each test runs in a process of its own, as registered interceptors change the requests of all clients of a process.
@Suite(.concurrencyLimited) struct InterceptorSamplesTests {
    @Test func `The first sample adds a parameter and a header to the calls of a tree only`() async {
        await #expect(processExitsWith: .success) {
            registerOne()
            let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "LOGOUT", nil)
            let target = "/echo/json/realms/root/authenticate?authIndexType=service&authIndexValue=Login"
            let changed = target + "&ForceAuth=true"
            #expect(requests.map(\.target) == [changed, changed, target, target])
            #expect(requests.map { $0.headers["accept-language"] } == [["en-GB"], ["en-GB"], nil, nil])
            #expect(requests.map { $0.headers["cookie"] } == Array(repeating: ["id=1"], count: 4))
            Self.expectUnchangedRest(of: requests)
        }
    }

    @Test func `The second sample also sends cookies, in addition to the stored ones`() async {
        await #expect(processExitsWith: .success) {
            registerTwo()
            let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "LOGOUT", nil)
            #expect(requests.map { $0.target.hasSuffix("&ForceAuth=true") } == [true, true, false, false])
            #expect(requests.map { $0.headers["accept-language"] } == [["en-GB"], ["en-GB"], nil, nil])
            let cookies = ["member=gold; level=2; id=1"]
            #expect(requests.map { $0.headers["cookie"] } == [cookies, cookies, ["id=1"], ["id=1"]])
            Self.expectUnchangedRest(of: requests)
        }
    }

    @Test func `The middleware of the JavaScript sample changes the first call of a tree only`() async {
        await #expect(processExitsWith: .success) {
            registerMiddleware()
            let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "LOGOUT", nil)
            #expect(requests.map { $0.target.hasSuffix("&ForceAuth=true") } == [true, false, false, false])
            #expect(requests.map { $0.headers["accept-language"] } == [["en-GB"], nil, nil, nil])
            Self.expectUnchangedRest(of: requests)
        }
    }

    @Test func `Interceptors receive every request that the SDK sends itself with their client`() async {
        await #expect(processExitsWith: .success) {
            register(MarkingInterceptor())
            try await Self.withRecordedServer { client, recorder in
                let url = try await client.authorizationRequest().url
                #expect(url.hasSuffix("&marked=AUTHORIZE"))
                let browser = HttpClient.createClient { addRegistered(to: &$0) }
                defer { browser.close() }
                let page = try await browser.submitForms(
                    at: url,
                    [["username": "alice", "password": "wonderland"], ["decision": "allow"]]
                )
                #expect(page.status == .seeOther)
                let jar = try #require(browser.configuration.cookieJar)
                let cookie = try #require(jar.cookies(for: URL(string: url)!).first)
                var tokens = try await client.tokens(authorizedBy: .cookie(name: cookie.name, value: cookie.value))
                tokens = try await client.refresh(tokens)
                #expect(try await client.userInfo(tokens).name == "Alice Liddell")
                try await client.revoke(tokens)
                _ = try await browser.request { request in
                    request.url = "http://\(recorder.authority)/echo/json/realms/root/sessions?_action=logout"
                    request.post(json: ["tokenId": "1"])
                    request.action = Action("LOGOUT")
                }

                let marked = recorder.requests.filter { !$0["X-Action"].isEmpty }
                let types = marked.flatMap { $0["X-Action"] }
                #expect(
                    types.sorted() == [
                        "AUTHORIZE", "EXCHANGE_TOKEN", "FETCH_KEYS", "LOGOUT", "REFRESH_TOKEN", "REVOKE_TOKEN",
                        "REVOKE_TOKEN", "USER_INFO",
                    ]
                )
                for (request, type) in zip(marked, types) {
                    #expect(request.target.hasSuffix("marked=\(type)"))
                    let isForm = ["EXCHANGE_TOKEN", "REFRESH_TOKEN", "REVOKE_TOKEN"].contains(type)
                    #expect(request.bodyText.hasSuffix("&marked=\(type)") == isForm)
                }
                let logout = marked.first { $0["X-Action"] == ["LOGOUT"] }
                #expect(logout?.bodyText == #"{"marked":"LOGOUT","tokenId":"1"}"#)
                // The requests of the browser are the app's own.
                let unmarked = recorder.requests.filter { $0["X-Action"].isEmpty }
                #expect(unmarked.map(\.method) == ["GET", "POST", "POST"])
            }
        }
    }

    /// Sends a request for each type, or a request of the app for `nil`, and returns what the gateway has received.
    private static func send(_ types: ActionType?...) async throws -> [EchoedRequest] {
        try await Gateway.withRunning { address in
            let client = HttpClient.createClient { addRegistered(to: &$0) }
            defer { client.close() }
            _ = try await client.request { $0.url = address.baseURL + "/cookies/set?id=1" }
            let path = "/echo/json/realms/root/authenticate?authIndexType=service&authIndexValue=Login"
            var received: [EchoedRequest] = []
            for type in types {
                let response = try await client.request { request in
                    request.url = address.baseURL + path
                    request.setHeader(name: "accept-api-version", value: "resource=2.1, protocol=1.0")
                    request.post(json: ["authId": "1", "stage": 2])
                    request.action = type.map { Action($0, payload: ["tree": "Login", "type": "service"]) }
                }
                received.append(try response.decode(EchoedRequest.self))
            }
            return received
        }
    }

    private static func expectUnchangedRest(of requests: [EchoedRequest]) {
        for request in requests {
            #expect(request.method == "POST")
            #expect(request.headers["content-type"] == ["application/json"])
            #expect(request.headers["accept-api-version"] == ["resource=2.1, protocol=1.0"])
            #expect(request.body == #"{"authId":"1","stage":2}"#)
        }
    }

    /// Runs a closure with a client of a gateway's authorization server, and a server that records the requests to its endpoints.
    private static func withRecordedServer(
        _ body: @escaping @Sendable (_ client: OAuthClient, _ recorder: ScriptedServer) async throws -> Void
    ) async throws {
        var configuration = try AuthorizationServerConfiguration.development()
        configuration.signatureAlgorithms = [.es256]
        let gateway = GatewayConfiguration(authorizationServer: try AuthorizationServer(configuration))
        try await Gateway.withRunning(gateway) { address in
            try await withScriptedServer([[.tunnel(toPort: address.port)]]) { recorder in
                let base = "http://\(recorder.authority)"
                let http = HttpClient.createClient { addRegistered(to: &$0) }
                defer { http.close() }
                let client = OAuthClient(issuer: address.baseURL, clientID: "conf") { config in
                    config.httpClient = http
                    config.authentication = .secretBasic("s3cret-conf")
                    config.scopes = ["openid", "profile", "offline_access", "api"]
                    config.redirectURI = "http://127.0.0.1:8765/cb"
                    config.idTokenAlgorithms = [.es256]
                    config.metadata = ServerMetadata(
                        issuer: address.baseURL,
                        authorizationEndpoint: base + "/authorize",
                        tokenEndpoint: base + "/token",
                        jwksURI: base + "/jwks",
                        userInfoEndpoint: base + "/userinfo",
                        revocationEndpoint: base + "/revoke"
                    )
                }
                try await body(client, recorder)
            }
        }
    }
}
