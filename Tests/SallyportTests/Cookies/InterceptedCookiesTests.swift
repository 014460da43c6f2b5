import ClientTestSupport
import Sallyport
import SallyportTesting
import TestSupport
import Testing

/// Request interceptors that change the cookies of a request before it is sent.
@Suite(.concurrencyLimited) struct InterceptedCookiesTests {
    private struct Changing: RequestInterceptor {
        let change: @Sendable ([Cookie], Action) throws -> [Cookie]

        func intercept(request: HttpRequest, action: Action) -> HttpRequest { request }

        func intercept(cookies: [Cookie], action: Action) throws -> [Cookie] { try change(cookies, action) }
    }

    /// The interceptor of the Android example in seed 001.
    private struct CustomCookieInterceptor: RequestInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest { request }

        func intercept(cookies: [Cookie], action: Action) -> [Cookie] {
            var newCookies = cookies
            newCookies.append(
                Cookie(
                    name: "member",
                    value: "gold",
                    domain: "example.com",
                    isSecure: true,
                    isHTTPOnly: true,
                    isHostOnly: false
                )
            )
            return newCookies
        }
    }

    /// Sends a request, and returns its `Cookie` header.
    private func cookies(
        _ url: String = "https://am.example.com/authenticate",
        jar: CookieJar? = CookieJar(),
        changedBy interceptors: any RequestInterceptor...,
        build: (inout HttpRequest) -> Void = { _ in }
    ) async throws -> String? {
        let (client, server) = makeClient { config in
            config.cookieJar = jar
            config.allowsPlainHTTP = true
        }
        client.requestInterceptors.registerInterceptors(interceptors: interceptors)
        let _: HttpResponse = try await client.request(request: startAuthenticate(url, build))
        return try #require(server.requests.first).header("Cookie")
    }

    @Test func `The Android example adds a cookie to those of the server, and only for its domain`() async throws {
        let root = try TestAuthority()
        let hosts = ["example.com", "am.example.com", "other.test"]
        let tls = ServerTLS(identity: try root.serverIdentity(hosts: hosts))
        let first = ScriptStep.send(
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: id=1\r\nConnection: close\r\n\r\n"
        )
        let script = [.receiveHead, first, .close] as Script
        try await withScriptedServer([script], tls: tls) { server in
            let client = HttpClient.createClient { config in
                config.transportConfiguration.security.trustRoots = .pem(root.certificatePEM)
                config.transportConfiguration.addressOverrides = hosts.map { host in
                    AddressOverride(host: host, port: server.port, addresses: ["127.0.0.1"])
                }
                config.requestInterceptors.register(CustomCookieInterceptor())
            }
            defer { client.close() }
            for host in ["example.com"] + hosts {
                let request = startAuthenticate("https://\(host):\(server.port)/authenticate")
                let _: HttpResponse = try await client.request(request: request)
            }
            let cookies = [["member=gold"], ["id=1; member=gold"], ["member=gold"], []]
            #expect(server.requests.map { $0["Cookie"] } == cookies)
        }
    }

    @Test func `An interceptor receives the cookies of the jar and of the request as values, and can remove them`()
        async throws
    {
        let jar = CookieJar()
        jar.store(Cookie(name: "id", value: "1", domain: "example.com", isHTTPOnly: true, isHostOnly: false))
        jar.store(Cookie(name: "own", value: "jar", domain: "am.example.com"))
        jar.store(Cookie(name: "other", value: "1", domain: "other.example.com"))
        let journal = Journal()
        let removing = Changing { cookies, action in
            for cookie in cookies {
                journal.add(
                    "\(action.type) \(cookie.name)=\(cookie.value) \(cookie.domain) \(cookie.isSecure) \(cookie.isHTTPOnly)"
                )
            }
            return cookies.filter { $0.name != "own" }
        }
        let sent = try await cookies(jar: jar, changedBy: removing) { $0.setCookie(cookie: "own=app") }
        #expect(
            journal.entries == [
                "START_AUTHENTICATE own=app am.example.com true false",
                "START_AUTHENTICATE id=1 example.com true true",
            ]
        )
        #expect(sent == "id=1")
        #expect(jar.allCookies.count == 3)
    }

    @Test func `Interceptors change the cookies one after the other, also without a jar`() async throws {
        let adding = Changing { cookies, _ in
            cookies + [Cookie(name: "n\(cookies.count)", value: "1", domain: "am.example.com")]
        }
        #expect(try await cookies(jar: nil, changedBy: adding, adding) == "n0=1; n1=1")
    }

    @Test func `All cookies of a request can be removed`() async throws {
        let clearing = Changing { _, _ in [] }
        #expect(try await cookies(changedBy: clearing) { $0.setCookie(cookie: "a=1") } == nil)
    }

    @Test func `A Cookie header is sent as it was set if no interceptor changes the cookies`() async throws {
        let unchanged = Changing { cookies, _ in cookies }
        let sent = try await cookies(changedBy: unchanged) { $0.setHeader(name: "Cookie", value: "a=1;  b;c=2") }
        #expect(sent == "a=1;  b;c=2")
    }

    @Test(arguments: [
        Cookie(name: "a", value: "1", domain: "other.example.com"),
        Cookie(name: "a", value: "1", domain: "example.com"),
        Cookie(name: "a", value: "1", domain: "am.example.com", path: "/other"),
    ])
    func `A cookie for another host or path is not sent`(cookie: Cookie) async throws {
        #expect(try await cookies(changedBy: Changing { cookies, _ in cookies + [cookie] }) == nil)
    }

    @Test func `A secure cookie is not sent over plain HTTP, and another one is`() async throws {
        let adding = Changing { cookies, _ in
            cookies + [true, false].map { Cookie(name: "\($0)", value: "1", domain: "am.example.com", isSecure: $0) }
        }
        #expect(try await cookies("http://am.example.com/a", changedBy: adding) == "false=1")
    }

    @Test func `A malformed cookie is refused before anything is sent, without its value in the error`() async {
        let adding = Changing { cookies, _ in
            cookies + [Cookie(name: "a", value: "canary; b=2", domain: "am.example.com")]
        }
        let error = await expectError(\NetworkError.kind, "invalidRequest") { try await cookies(changedBy: adding) }
        #expect(
            error?.failure.reason
                == "a request interceptor returned the cookie \"a\", which cannot be sent: its value contains a control "
                + "character or semicolon"
        )
    }

    @Test func `An error of an interceptor fails the call and names the interceptor`() async {
        struct Refusal: Error {}
        let refusing = Changing { _, _ in throw Refusal() }
        let error = await expectError(\NetworkError.kind, "networkError") { try await cookies(changedBy: refusing) }
        let reason = error?.failure.reason ?? ""
        #expect(reason.hasPrefix("the request interceptor Changing failed with the cookies: "))
        #expect(error?.failure.underlying is Refusal)
    }

    @Test func `The cookies of requests without an action are not intercepted`() async throws {
        let (client, server) = makeClient()
        client.requestInterceptors.register(CustomCookieInterceptor())
        let _: HttpResponse = try await client.request(request: makeRequest("https://example.com/"))
        #expect(server.requests.map { $0.header("Cookie") } == [nil])
    }
}
