import Foundation
import Sallyport
import TestSupport
import Testing

/// The examples of the seed 001, as near to their text as a value-type request allows, over real sockets.
@Suite(.concurrencyLimited) struct SeedInterceptorExamplesTests {
    /// Responds to three requests on one connection; the first response sets a cookie.
    private static let script: Script = [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: id=1\r\n\r\n"),
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    ]

    /// Sends a request for each type, and returns the requests that the server received.
    private static func send(
        _ types: ActionType...,
        configure: @escaping @Sendable (inout HttpClientConfiguration) -> Void
    ) async throws -> [ReceivedRequest] {
        try await withScriptedServer([script]) { server in
            let client = HttpClient.createClient(configure)
            defer { client.close() }
            for type in types {
                _ = try await client.request { request in
                    request.url = "http://\(server.authority)/json/realms/root/authenticate?authIndexType=service"
                    request.post(json: [:])
                    request.action = Action(type, payload: ["tree": "Login", "type": "service"])
                }
            }
            return server.requests
        }
    }

    private struct QueryParamsAndHeaderRequestInterceptor: RequestInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            guard action.type == "START_AUTHENTICATE" || action.type == "AUTHENTICATE" else { return request }
            var request = request
            // Add query parameter:
            request.setParameter(name: "ForceAuth", value: "true")

            // Add additional header:
            request.setHeader(name: "Accept-Language", value: "en-GB")
            return request
        }
    }

    private struct CookieInterceptor: RequestInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            guard action.type == "START_AUTHENTICATE" || action.type == "AUTHENTICATE" else { return request }
            var request = request
            request.setHeader(name: "Cookie", value: "member=gold; level=2")
            return request
        }
    }

    private struct CustomCookieInterceptor: RequestInterceptor {
        func intercept(request: HttpRequest, action: Action) -> HttpRequest {
            var request = request
            request.setCookie(cookie: "member=gold")
            return request
        }
    }

    @Test func `The Android example sets query parameters and headers for one action and cookies for all`() async throws
    {
        let requests = try await Self.send("START_AUTHENTICATE", "REFRESH_TOKEN") { config in
            config.requestInterceptors.register(
                QueryParamsAndHeaderRequestInterceptor(),
                CustomCookieInterceptor()
            )
        }
        #expect(
            requests.map(\.target) == [
                "/json/realms/root/authenticate?authIndexType=service&ForceAuth=true",
                "/json/realms/root/authenticate?authIndexType=service",
            ]
        )
        #expect(requests.map { $0["Accept-Language"] } == [["en-GB"], []])
        // The second request also has the cookie that the server set.
        #expect(requests.map { $0["Cookie"] } == [["member=gold"], ["member=gold; id=1"]])
    }

    @Test func `The iOS example sets query parameters, headers and cookies for two action types`() async throws {
        let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "LOGOUT") { config in
            config.requestInterceptors.registerInterceptors(
                interceptors: [
                    QueryParamsAndHeaderRequestInterceptor(),
                    CookieInterceptor(),
                ]
            )
        }
        #expect(requests.map { $0.target.hasSuffix("?authIndexType=service&ForceAuth=true") } == [true, true, false])
        #expect(requests.map { $0["Accept-Language"] } == [["en-GB"], ["en-GB"], []])
        #expect(requests.map { $0["Cookie"] } == [["member=gold; level=2"], ["member=gold; level=2; id=1"], ["id=1"]])
        #expect(requests.map(\.bodyText) == ["{}", "{}", "{}"])
    }

    @Test func `Setting a parameter replaces it, as searchParams does, when an interceptor runs twice`() async throws {
        let requests = try await Self.send("START_AUTHENTICATE") { config in
            config.requestInterceptors.register(
                QueryParamsAndHeaderRequestInterceptor(),
                QueryParamsAndHeaderRequestInterceptor()
            )
        }
        #expect(
            requests.map(\.target) == ["/json/realms/root/authenticate?authIndexType=service&ForceAuth=true"]
        )
    }

    @Test func `The JavaScript example has one middleware for a parameter and one for a header`() async throws {
        let forceAuthMiddleware: RequestMiddleware = { request, action, next in
            switch action.type {
            case "START_AUTHENTICATE":
                request.setParameter(name: "ForceAuth", value: "true")
            default: break
            }
            try await next(&request)
        }
        let addHeadersMiddleware: RequestMiddleware = { request, action, next in
            switch action.type {
            case "START_AUTHENTICATE":
                request.addHeader(name: "Accept-Language", value: "en-GB")
            default: break
            }
            try await next(&request)
        }
        let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE") { config in
            config.addMiddleware(forceAuthMiddleware)
            config.addMiddleware(addHeadersMiddleware)
        }
        #expect(requests.map { $0.target.hasSuffix("&ForceAuth=true") } == [true, false])
        #expect(requests.map { $0["Accept-Language"] } == [["en-GB"], []])
    }
}
