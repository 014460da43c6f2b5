import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct InterceptorTraceTests {
    private struct ForceAuthentication: ActionInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            var request = request
            request.setParameter(name: "ForceAuth", value: "true")
            request.setHeader(name: "Accept-Language", value: "en-GB")
            return request
        }
    }

    private struct Idle: ActionInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest { request }
    }

    private struct Wire: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            var request = request
            request.addHeader(name: "X-Wire", value: "1")
            return try await next(request)
        }
    }

    private struct Cached: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            HttpResponse(status: .notModified, request: request)
        }
    }

    private struct Persistent: Interceptor {
        let times: Int

        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            for number in 1..<times {
                var numbered = request
                numbered.setHeader(name: "X-Number", value: "\(number)")
                _ = try? await next(numbered)
            }
            return try await next(request)
        }
    }

    private func trace(
        _ server: MockTransport = MockTransport { _ in .status(200) },
        of request: HttpRequest = startAuthenticate { $0.isTraced = true },
        _ configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) async throws -> InterceptorTrace {
        let (client, _) = makeClient(server) { config in
            config.standardHeaders = StandardHeaders(requestedWith: nil, requestedPlatform: nil)
            configure(&config)
        }
        return try #require(try await client.request(request: request).trace)
    }

    @Test func `The trace lists each stage with its changes, from the app to the wire`() async throws {
        let jar = CookieJar()
        jar.store(Cookie(name: "id", value: "1", domain: "am.example.com"))
        let (client, _) = makeClient { config in
            config.cookieJar = jar
            config.standardHeaders = StandardHeaders(requestedWith: "app", requestedPlatform: nil)
            config.authentication = [.basic(user: "ada", password: "x", for: "https://am.example.com")]
            config.onRequest({ $0.setHeader(name: "X-App", value: "1") }, file: "App/Setup.swift", line: 7)
            config.addInterceptor(ForceAuthentication())
            config.addInterceptor(Idle())
            config.onRequest({ $0.setMethod(.post) }, file: "App/Setup.swift", line: 12)
            config.addWireInterceptor(Wire())
        }
        let response = try await client.request(request: startAuthenticate { $0.isTraced = true })
        #expect(
            "\(try #require(response.trace))" == """
                GET https://am.example.com/authenticate (START_AUTHENTICATE)
                @ onRequest at App/Setup.swift:7
                + header X-App: 1
                @ ForceAuthentication
                + query ForceAuth=true
                + header Accept-Language: en-GB
                @ onRequest at App/Setup.swift:12
                ~ method GET -> POST
                @ BasicAuthentication
                + header Authorization: ***
                @ cookies
                + cookie id=***
                @ standard headers
                + header x-requested-with: app
                @ Wire
                + header X-Wire: 1
                > POST https://am.example.com/authenticate?ForceAuth=true
                < 200
                """
        )
    }

    @Test func `A redirect is a separate attempt in the trace`() async throws {
        let server = MockTransport()
        server.on(nil, "/a", .redirect(to: "/b?step=2").header(.setCookie, "id=1"))
        server.on(nil, "/b", .redirect(to: "https://other.example.com/c"))
        server.on(nil, "/c", .status(404))
        let request = makeRequest("https://api.example.com/a") { request in
            request.form(parameters: ["user": "ada"])
            request.setHeader(name: "Authorization", value: "secret")
            request.isTraced = true
        }
        let trace = try await trace(server, of: request) { $0.redirects = .follow(limit: 3) }
        #expect(
            "\(trace)" == """
                POST https://api.example.com/a
                > POST https://api.example.com/a
                < 302
                @ redirects
                ~ method POST -> GET
                ~ url https://api.example.com/a -> https://api.example.com/b
                + query step=2
                - header Content-Type: application/x-www-form-urlencoded
                - body application/x-www-form-urlencoded, 8 B
                @ cookies
                + cookie id=***
                > GET https://api.example.com/b?step=2
                < 302
                @ redirects
                ~ url https://api.example.com/b -> https://other.example.com/c
                - query step=2
                - header Authorization: ***
                > GET https://other.example.com/c
                < 404
                """
        )
    }

    @Test func `The response to a challenge is a separate attempt in the trace`() async throws {
        let server = MockTransport { request in
            request.header("Authorization") == nil
                ? .status(401).header(.wwwAuthenticate, #"Digest realm="r", qop="auth", nonce="n""#) : .status(200)
        }
        let trace = try await trace(server) { config in
            config.authentication = [.digest(user: "ada", password: "x", for: "https://am.example.com")]
        }
        #expect(trace.attempts.map { $0.status?.code } == [401, 200])
        #expect(trace.attempts.map { $0.stages.map(\.name) } == [[], ["DigestAuthentication"]])
        #expect(trace.attempts.last?.stages.last?.changes.map(\.description) == ["+ header Authorization: ***"])
    }

    @Test func `A request sent again by an interceptor is compared with the previous one`() async throws {
        let trace = try await trace { $0.addInterceptor(Persistent(times: 3)) }
        #expect(
            trace.attempts.map { $0.stages.flatMap(\.changes).map(\.description) } == [
                ["+ header X-Number: 1"], ["~ header X-Number: 1 -> 2"], ["- header X-Number: 2"],
            ]
        )
    }

    @Test func `The trace names the stage that returned a response without sending the request`() async throws {
        let trace = try await trace { config in
            config.addInterceptor(ForceAuthentication())
            config.addWireInterceptor(Cached())
        }
        #expect(trace.attempts.map(\.sent) == [nil])
        #expect("\(trace)".hasSuffix("+ header Accept-Language: en-GB\n< 304 by Cached"))
    }

    @Test func `A network error contains the trace up to the failure`() async throws {
        let (client, _) = makeClient(.fail(.connectionFailed("refused"))) { config in
            config.isTraced = true
            config.addInterceptor(ForceAuthentication())
        }
        let error = try #require(
            await expectError(\NetworkError.kind, "connectionFailed") {
                try await client.request(request: startAuthenticate())
            }
        )
        let trace = try #require(error.trace)
        #expect(trace.attempts.map(\.sent) == ["GET https://am.example.com/authenticate?ForceAuth=true"])
        #expect(trace.attempts.first?.status == nil)
        #expect(trace.attempts.first?.stages.first?.name == "ForceAuthentication")
        #expect(error.failure.request == "GET https://am.example.com/authenticate?…")
    }

    @Test func `A call failed by an interceptor has the trace of the stages before it`() async throws {
        struct Refusal: Error {}
        let (client, _) = makeClient { config in
            config.isTraced = true
            config.addInterceptor(ForceAuthentication())
            config.addInterceptor(Intercepting { _, _ in throw Refusal() })
        }
        let error = try #require(
            await expectError(\NetworkError.kind, "networkError") {
                try await client.request(request: startAuthenticate())
            }
        )
        #expect(error.trace?.attempts.map(\.sent) == [nil])
        #expect(error.trace?.attempts.first?.stages.map(\.name) == ["ForceAuthentication"])
    }

    @Test func `Only traced requests and clients have a trace`() async throws {
        let (plain, _) = makeClient(.fail(.connectionFailed("refused")))
        let error = await #expect(throws: NetworkError.self) { try await plain.request(request: startAuthenticate()) }
        #expect(error?.trace == nil)
        let (working, _) = makeClient()
        #expect(try await working.request(request: startAuthenticate()).trace == nil)
        #expect(try await working.request(request: startAuthenticate { $0.isTraced = true }).trace != nil)
        let (traced, _) = makeClient { $0.isTraced = true }
        #expect(try await traced.request(request: startAuthenticate()).trace != nil)
    }

    @Test func `A streamed response has a trace when its head arrives`() async throws {
        let (client, _) = makeClient(.text("body")) { $0.isTraced = true }
        let trace = try await client.stream(request: startAuthenticate()) { $0.trace }
        #expect(trace?.attempts.map { $0.status?.code } == [200])
    }

    @Test func `The trace contains the first hundred attempts and the number of further ones`() async throws {
        let trace = try await trace { $0.addInterceptor(Persistent(times: 150)) }
        #expect(trace.attempts.count == 100)
        #expect(trace.attempts.allSatisfy { $0.status == .ok && $0.sent != nil })
        #expect(trace.furtherAttempts == 50)
        #expect("\(trace)".hasSuffix("\n(50 more attempts)"))
    }

    @Test func `Concurrent calls have separate traces`() async throws {
        let (client, _) = makeClient { config in
            config.isTraced = true
            config.addInterceptor(
                Intercepting { request, action in
                    request.setHeader(name: "X-Tree", value: action.payload?["tree"]?.string ?? "")
                }
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let response = try await client.request(
                        request: makeRequest { $0.action = Action("AUTHENTICATE", payload: ["tree": "\(number)"]) }
                    )
                    let changes = response.trace?.attempts.first?.stages.first?.changes.map(\.description)
                    #expect(changes == ["+ header X-Tree: \(number)"])
                }
            }
            try await group.waitForAll()
        }
    }
}
