import ClientTestSupport
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RequestMiddlewareTests {
    @Test func `Each calls the next, and sees what it has done`() async throws {
        let (client, server) = makeClient { config in
            config.addMiddleware { request, _, next in
                request.addHeader(name: "X-Marks", value: "first")
                try await next(&request)
                request.addHeader(name: "X-Marks", value: "after \(request.getHeader(name: "X-Marks") ?? "")")
            }
            config.addMiddleware { request, _, next in
                request.addHeader(name: "X-Marks", value: "second")
                try await next(&request)
            }
        }
        _ = try await client.request(request: startAuthenticate())
        #expect(server.requests.first?.header("X-Marks") == "first, second, after first, second")
    }

    @Test func `One that does not call next is the last, and its request is sent`() async throws {
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

    @Test func `One that throws refuses the call`() async {
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

    @Test func `It comes after the interceptors of the registries`() async throws {
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
