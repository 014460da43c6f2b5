import ClientTestSupport
import PingInterceptorsCompatibility
import Sallyport
import SallyportTesting
import TestSupport
import Testing

/// Registered interceptors that change the cookies of a request before it is sent.
///
/// Each test runs in a process of its own, as the registry belongs to the process.
@Suite(.concurrencyLimited) struct InterceptedCookiesTests {
    private struct Changing: PingInterceptorsCompatibility.RequestInterceptor {
        let change: ([Cookie], String) -> [Cookie]

        func intercept(request: Request, action: PingInterceptorsCompatibility.Action) -> Request { request }

        func intercept(cookies: [Cookie], action: PingInterceptorsCompatibility.Action) -> [Cookie] {
            change(cookies, action.type)
        }
    }

    /// The cookie of the Android example in seed 001.
    private static let member = Cookie(
        name: "member",
        value: "gold",
        domain: "example.com",
        isSecure: true,
        isHTTPOnly: true,
        isHostOnly: false
    )

    /// Sends a request, and returns its `Cookie` header.
    private static func cookies(
        _ url: String = "https://am.example.com/authenticate",
        jar: CookieJar? = CookieJar(),
        action: String? = "START_AUTHENTICATE",
        build: (inout HttpRequest) -> Void = { _ in },
        changedBy change: sending @escaping ([Cookie], String) -> [Cookie]
    ) async throws -> String? {
        FRRequestInterceptorRegistry.shared.registerInterceptors(interceptors: [Changing(change: change)])
        let (client, server) = makeClient { config in
            config.cookieJar = jar
            config.allowsPlainHTTP = true
            config.addRegisteredInterceptors()
        }
        defer { client.close() }
        var request = HttpRequest(url: url)
        request.action = action.map { Sallyport.Action(ActionType(rawValue: $0)) }
        build(&request)
        _ = try await client.request(request: request)
        return try #require(server.requests.first).header("Cookie")
    }

    @Test func `The Android example adds a cookie to those of the jar, and only for its domain`() async {
        await #expect(processExitsWith: .success) {
            let jar = CookieJar()
            jar.store(Cookie(name: "id", value: "1", domain: "am.example.com"))
            for (host, expected) in [
                ("example.com", "member=gold"), ("am.example.com", "id=1; member=gold"), ("other.test", nil),
            ] {
                let sent = try await Self.cookies("https://\(host)/", jar: jar) { cookies, _ in cookies + [Self.member]
                }
                #expect(sent == expected)
            }
            #expect(jar.allCookies.count == 1)
        }
    }

    @Test func `An interceptor receives the cookies of the jar and of the request, and can remove them`() async {
        await #expect(processExitsWith: .success) {
            let jar = CookieJar()
            jar.store(Cookie(name: "id", value: "1", domain: "am.example.com"))
            let journal = Journal()
            let sent = try await Self.cookies(jar: jar, build: { $0.setCookie(cookie: "own=app") }) { cookies, type in
                for cookie in cookies { journal.add("\(type) \(cookie.name)=\(cookie.value) \(cookie.domain)") }
                return cookies.filter { $0.name != "own" }
            }
            #expect(
                journal.entries == [
                    "START_AUTHENTICATE own=app am.example.com", "START_AUTHENTICATE id=1 am.example.com",
                ]
            )
            #expect(sent == "id=1")
            let cleared = try await Self.cookies(jar: nil, build: { $0.setCookie(cookie: "a=1") }) { _, _ in [] }
            #expect(cleared == nil)
        }
    }

    @Test func `A Cookie header is sent as it was set if no interceptor changes the cookies`() async {
        await #expect(processExitsWith: .success) {
            let build = { (request: inout HttpRequest) in request.setHeader(name: "Cookie", value: "a=1;  b;c=2") }
            let sent = try await Self.cookies(build: build) { cookies, _ in cookies }
            #expect(sent == "a=1;  b;c=2")
        }
    }

    @Test func `A cookie for another host or path, or a secure one over plain HTTP, is not sent`() async {
        await #expect(processExitsWith: .success) {
            for cookie in [
                Cookie(name: "a", value: "1", domain: "other.example.com"),
                Cookie(name: "a", value: "1", domain: "example.com"),
                Cookie(name: "a", value: "1", domain: "am.example.com", path: "/other"),
            ] {
                let sent = try await Self.cookies { cookies, _ in cookies + [cookie] }
                #expect(sent == nil)
            }
            let sent = try await Self.cookies("http://am.example.com/a") { cookies, _ in
                cookies
                    + [true, false].map { Cookie(name: "\($0)", value: "1", domain: "am.example.com", isSecure: $0) }
            }
            #expect(sent == "false=1")
        }
    }

    @Test func `A malformed cookie is refused before anything is sent, without its value in the error`() async {
        await #expect(processExitsWith: .success) {
            let error = await expectError(\NetworkError.kind, "invalidRequest") {
                try await Self.cookies { cookies, _ in
                    cookies + [Cookie(name: "a", value: "canary; b=2", domain: "am.example.com")]
                }
            }
            let reason = error?.failure.reason ?? ""
            #expect(reason.hasPrefix("a request interceptor returned an invalid cookie, "))
            #expect(!reason.contains("canary"))
        }
    }

    @Test func `The cookies of requests without an action are not intercepted`() async {
        await #expect(processExitsWith: .success) {
            let sent = try await Self.cookies("https://example.com/", action: nil) { _, _ in [Self.member] }
            #expect(sent == nil)
        }
    }
}
