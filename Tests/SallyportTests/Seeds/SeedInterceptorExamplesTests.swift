import ClientTestSupport
import Foundation
import Sallyport
import SallyportGateway
import TestSupport
import Testing

/// The samples of the seed 001 in the form of Sallyport, with requests to a gateway.
///
/// The Swift samples in their own form are in PingInterceptorsCompatibilityTests, and the configuration in SallyportOAuthTests. Tests
/// that register interceptors for all clients run in processes of their own.
@Suite(.concurrencyLimited) struct SeedInterceptorExamplesTests {
    // MARK: Ping SDK for Android

    private enum Android {
        struct QueryParamsAndHeaderRequestInterceptor: RequestInterceptor {
            func intercept(request: HttpRequest, action tag: Action) -> HttpRequest {
                var request = request
                if tag.type == "START_AUTHENTICATE" {
                    // Add query parameter:
                    request.setParameter(name: "ForceAuth", value: "true")

                    // Add additional header:
                    request.addHeader(name: "Accept-Language", value: "en-GB")
                }
                return request
            }
        }

        struct CustomCookieInterceptor: RequestInterceptor {
            func intercept(request: HttpRequest, action: Action) -> HttpRequest { request }

            func intercept(cookies: [Cookie], action: Action) -> [Cookie] {
                var newCookies = cookies
                // The domain of the sample is example.com, and its cookie is secure; see InterceptedCookiesTests.
                newCookies.append(
                    Cookie(name: "member", value: "gold", domain: "127.0.0.1", isSecure: false, isHTTPOnly: true)
                )
                return newCookies
            }
        }
    }

    @Test func `The first Android sample adds a parameter and a header to the first call of a tree only`() async {
        await #expect(processExitsWith: .success) {
            RequestInterceptorRegistry.shared.register(Android.QueryParamsAndHeaderRequestInterceptor())
            let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "REFRESH_TOKEN", nil)
            #expect(
                requests.map(\.target) == [Self.target + "&ForceAuth=true", Self.target, Self.target, Self.target]
            )
            #expect(requests.map { $0.headers["accept-language"] } == [["en-GB"], nil, nil, nil])
            #expect(requests.map { $0.headers["cookie"] } == Array(repeating: ["id=1"], count: 4))
        }
    }

    @Test func `The second Android sample also adds a cookie to each request that the SDK sends`() async {
        await #expect(processExitsWith: .success) {
            RequestInterceptorRegistry.shared.register(
                Android.QueryParamsAndHeaderRequestInterceptor(),
                Android.CustomCookieInterceptor()
            )
            let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "REFRESH_TOKEN", nil)
            #expect(requests.map { $0.target.hasSuffix("&ForceAuth=true") } == [true, false, false, false])
            #expect(requests.map { $0.headers["accept-language"] } == [["en-GB"], nil, nil, nil])
            let cookies = ["id=1; member=gold"]
            #expect(requests.map { $0.headers["cookie"] } == [cookies, cookies, cookies, ["id=1"]])
        }
    }

    /// A call of the Android request's builder in the form of Sallyport.
    private struct BuilderCall: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let body: String
        let change: @Sendable (inout HttpRequest) -> Void
    }

    private static let builderCalls = [
        BuilderCall(testDescription: "get()", method: "GET", body: "") { $0.get() },
        BuilderCall(testDescription: "delete()", method: "DELETE", body: "") { $0.delete() },
        BuilderCall(testDescription: "put(body)", method: "PUT", body: "b") { request in
            request.put(contentType: "text/plain", body: "b")
        },
        BuilderCall(testDescription: "post(body)", method: "POST", body: "b") { request in
            request.post(contentType: "text/plain", body: "b")
        },
        BuilderCall(testDescription: "patch(body)", method: "PATCH", body: "b") { request in
            request.patch(contentType: "text/plain", body: "b")
        },
        BuilderCall(testDescription: "delete(body)", method: "DELETE", body: "b") { request in
            request.delete(contentType: "text/plain", body: "b")
        },
    ]

    @Test(arguments: builderCalls)
    private func `An interceptor can read a request and call each method of the Android request's builder`(
        _ call: BuilderCall
    ) async throws {
        let requests = try await Self.send("START_AUTHENTICATE") { config in
            config.addMiddleware { request, action, next in
                #expect(request.url?.hasSuffix(Self.target) == true)  // url()
                #expect(request.getHeaders()["X-Gone"] == "1")  // headers()
                #expect(request.getHeader(name: "x-gone") == "1")  // header(name)
                let gone = try #require(HTTPField.Name("x-gone"))
                #expect(try request.head().headerFields[values: gone] == ["1"])  // headers(name)
                #expect(request.getMethod() == .post)  // method()
                #expect(request.action == action)  // tag()
                #expect(request.body.text == #"{"authId":"1"}"#)  // body()

                request.url = request.url.map { $0.replacing("/authenticate", with: "/other") }  // url(url)
                request.setHeader(name: "x-one", value: "3")  // header(name, value)
                request.addHeader(name: "X-Two", value: "4")  // addHeader(name, value)
                request.addHeader(name: "X-Two", value: "5")
                request.removeHeader(name: "X-Gone")  // removeHeader(name)
                call.change(&request)
                try await next(&request)
            }
        }
        let request = try #require(requests.first)
        #expect(request.target == Self.target.replacing("/authenticate", with: "/other"))
        #expect(request.headers["x-one"] == ["3"])
        #expect(request.headers["x-two"] == ["4", "5"])
        #expect(request.headers["x-gone"] == nil)
        #expect(request.headers["content-type"] == (call.body.isEmpty ? nil : ["text/plain"]))
        #expect(request.method == call.method)
        #expect(request.body == call.body)
    }

    // MARK: Ping SDK for iOS

    private enum Apple {
        struct QueryParamsAndHeaderRequestInterceptor: RequestInterceptor {
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

        struct CookieInterceptor: RequestInterceptor {
            func intercept(request: HttpRequest, action: Action) -> HttpRequest {
                guard action.type == "START_AUTHENTICATE" || action.type == "AUTHENTICATE" else { return request }
                var request = request
                request.setHeader(name: "Cookie", value: "member=gold; level=2")
                return request
            }
        }
    }

    @Test func `The first iOS sample adds a parameter and a header to the calls of a tree only`() async {
        await #expect(processExitsWith: .success) {
            RequestInterceptorRegistry.shared.registerInterceptors(
                interceptors: [
                    Apple.QueryParamsAndHeaderRequestInterceptor()
                ]
            )
            let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "LOGOUT", nil)
            let changed = Self.target + "&ForceAuth=true"
            #expect(requests.map(\.target) == [changed, changed, Self.target, Self.target])
            #expect(requests.map { $0.headers["accept-language"] } == [["en-GB"], ["en-GB"], nil, nil])
            #expect(requests.map(\.body) == Array(repeating: #"{"authId":"1"}"#, count: 4))
        }
    }

    @Test func `The second iOS sample also sends cookies, in addition to the stored ones`() async {
        await #expect(processExitsWith: .success) {
            RequestInterceptorRegistry.shared.registerInterceptors(
                interceptors: [
                    Apple.QueryParamsAndHeaderRequestInterceptor(),
                    Apple.CookieInterceptor(),
                ]
            )
            let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", "LOGOUT", nil)
            #expect(requests.map { $0.target.hasSuffix("&ForceAuth=true") } == [true, true, false, false])
            let cookies = ["member=gold; level=2; id=1"]
            #expect(requests.map { $0.headers["cookie"] } == [cookies, cookies, ["id=1"], ["id=1"]])
        }
    }

    @Test func `Setting a parameter replaces it when an interceptor runs twice`() async {
        await #expect(processExitsWith: .success) {
            let interceptor = Apple.QueryParamsAndHeaderRequestInterceptor()
            RequestInterceptorRegistry.shared.registerInterceptors(interceptors: [interceptor, interceptor])
            let requests = try await Self.send("START_AUTHENTICATE")
            #expect(requests.map(\.target) == [Self.target + "&ForceAuth=true"])
        }
    }

    // MARK: Ping SDK for JavaScript

    @Test func `The JavaScript sample has one middleware for a parameter and one for a header`() async throws {
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
        let requests = try await Self.send("START_AUTHENTICATE", "AUTHENTICATE", nil) { config in
            config.addMiddleware(forceAuthMiddleware)
            config.addMiddleware(addHeadersMiddleware)
        }
        #expect(requests.map(\.target) == [Self.target + "&ForceAuth=true", Self.target, Self.target])
        #expect(requests.map { $0.headers["accept-language"] } == [["en-GB"], nil, nil])
    }

    // MARK: Requests

    private static let target = "/echo/json/realms/root/authenticate?authIndexType=service&authIndexValue=Login"

    /// Sends a request for each type, or a request of the app for `nil`, and returns what the gateway has received.
    private static func send(
        _ types: ActionType?...,
        configure: (inout HttpClientConfiguration) -> Void = { _ in }
    ) async throws -> [EchoedRequest] {
        try await Gateway.withRunning { address in
            let client = HttpClient.createClient(configure)
            defer { client.close() }
            _ = try await client.request { $0.url = address.baseURL + "/cookies/set?id=1" }
            var received: [EchoedRequest] = []
            for type in types {
                let response = try await client.request { request in
                    request.url = address.baseURL + target
                    request.setHeader(name: "X-One", value: "1")
                    request.setHeader(name: "X-Gone", value: "1")
                    request.post(json: ["authId": "1"])
                    request.action = type.map { Action($0, payload: ["tree": "Login", "type": "service"]) }
                }
                received.append(try response.decode(EchoedRequest.self))
            }
            return received
        }
    }
}
