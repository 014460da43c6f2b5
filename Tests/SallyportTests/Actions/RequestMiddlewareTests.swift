import ClientTestSupport
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RequestMiddlewareTests {
    @Test func `Middleware calls the next one and sees the changes it made to the request`() async throws {
        let (client, server) = makeClient { config in
            config.addMiddleware { request, _, next in
                request.addHeader(name: "X-Marks", value: "first")
                try await next(&request)
                let marks = request.getCombinedHeader(name: "X-Marks") ?? ""
                request.addHeader(name: "X-Marks", value: "after \(marks)")
            }
            config.addMiddleware { request, _, next in
                request.addHeader(name: "X-Marks", value: "second")
                try await next(&request)
            }
        }
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("X-Marks") == "first, second, after first, second")
    }

    @Test func `Middleware that does not call next ends the chain, and its request is sent`() async throws {
        let (client, server) = makeClient { config in
            config.addMiddleware { request, _, _ in request.addHeader(name: "X-Marks", value: "first") }
            config.addMiddleware { request, _, next in
                request.addHeader(name: "X-Marks", value: "second")
                try await next(&request)
            }
        }
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.map { $0.header("X-Marks") } == ["first"])
    }

    @Test func `An error thrown by middleware fails the call and names the line that registered it`() async {
        struct Refusal: Error {}
        let (client, server) = makeClient { config in
            config.addMiddleware { _, _, _ in throw Refusal() }
        }
        await #expect {
            try await client.request(request: startAuthenticate())
        } throws: { error in
            guard case NetworkError.networkError(let failure) = error else { return false }
            return failure.underlying is Refusal && failure.reason.contains("RequestMiddlewareTests.swift:")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Middleware runs after the registered request interceptors`() async throws {
        let (client, server) = makeClient { config in
            config.addMiddleware { request, _, next in
                request.addHeader(name: "X-Marks", value: "middleware")
                try await next(&request)
            }
            config.requestInterceptors.register(
                Intercepting { request, _ in request.addHeader(name: "X-Marks", value: "interceptor") }
            )
        }
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("X-Marks") == "interceptor, middleware")
    }
}
