import ClientTestSupport
import Foundation
import HTTPTypes
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

/// Adds the credentials of a user in a stage after the cache.
private struct WireCredentials: Interceptor {
    let token: String

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.setHeader(name: "Authorization", value: "Bearer \(token)")
        return try await next(request)
    }
}

/// Adds the name of a tenant in a stage after the cache.
private struct WireTenant: Interceptor {
    let tenant: String

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        request.setHeader(name: "X-Tenant", value: tenant)
        return try await next(request)
    }
}

/// Requests that a stage after the cache changes.
@Suite(.concurrencyLimited) struct CacheWireInterceptorTests {
    @Test func `Responses to credentials that are added after the cache are not stored`() async throws {
        let server = MockTransport { request in
            MockResponse(
                headers: [.cacheControl: "max-age=60"],
                body: Data((request.header("Authorization") ?? "nobody").utf8)
            )
        }
        let cache = CacheClock().cache()
        for token in ["alice", "bob"] {
            let client = makeCachingClient(server, cache) { $0.addWireInterceptor(WireCredentials(token: token)) }
            let response = try await client.request(request: makeRequest())
            #expect(response.bodyAsString() == "Bearer \(token)")
            #expect(response.cacheStatus?.detail == "credentials-added")
        }
        let entries = try await cache.storage.allEntries()
        #expect(entries.isEmpty)
    }

    @Test func `Responses that are selected by a field that is added after the cache are not stored`() async throws {
        let server = MockTransport { request in
            let fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "Accept-Encoding, X-Tenant"]
            return MockResponse(headers: fields, body: Data((request.header("X-Tenant") ?? "none").utf8))
        }
        let cache = CacheClock().cache()
        for tenant in ["first", "second"] {
            let client = makeCachingClient(server, cache) { $0.addWireInterceptor(WireTenant(tenant: tenant)) }
            let response = try await client.request(request: makeRequest())
            #expect(response.bodyAsString() == tenant)
            #expect(response.cacheStatus?.description == "Sallyport; fwd=uri-miss; detail=request-changed")
        }
        let entries = try await cache.storage.allEntries()
        #expect(entries.isEmpty)
    }

    @Test func `A 304 to a request with another selecting field does not confirm the stored response`() async throws {
        let server = MockTransport { request in
            let isValidation = request.header("If-None-Match") != nil
            return MockResponse(
                status: isValidation ? .notModified : .ok,
                headers: [.cacheControl: "no-cache", .vary: "X-Tenant", .eTag: "\"a\""],
                body: Data((isValidation ? "" : request.header("X-Tenant") ?? "none").utf8)
            )
        }
        let storage = MemoryCacheStorage()
        let cache = CacheClock().cache(storage)
        #expect(try await makeCachingClient(server, cache).request(request: makeRequest()).bodyAsString() == "none")
        let stored = await storage.allEntries()
        #expect(stored.count == 1)
        let client = makeCachingClient(server, cache) { $0.addWireInterceptor(WireTenant(tenant: "first")) }
        let response = try await client.request(request: makeRequest())
        #expect(response.bodyAsString() == "first")
        #expect(response.cacheStatus?.description == "Sallyport; fwd=stale; detail=request-changed")
        #expect(server.requests.count == 3)
        #expect(await storage.allEntries() == stored)
    }

    @Test func `The head of a stored response is not replaced if credentials are added after the cache`() async throws {
        let server = MockTransport { request in
            let isValidation = request.header("If-None-Match") == "\"a\""
            return MockResponse(
                status: isValidation ? .notModified : .ok,
                headers: [.cacheControl: isValidation ? "max-age=60" : "max-age=10", .eTag: "\"a\""],
                body: Data((isValidation ? "" : "body").utf8)
            )
        }
        let clock = CacheClock()
        let storage = MemoryCacheStorage()
        let cache = clock.cache(storage)
        _ = try await makeCachingClient(server, cache).request(request: makeRequest())
        let stored = await storage.allEntries()
        #expect(stored.count == 1)
        clock.advance(by: 20)
        let client = makeCachingClient(server, cache) { $0.addWireInterceptor(WireCredentials(token: "alice")) }
        let validated = try await client.request(request: makeRequest())
        #expect(validated.bodyAsString() == "body")
        #expect(validated.cacheStatus?.forwardStatus == 304)
        #expect(validated.cacheStatus?.isStored == false)
        #expect(validated.cacheStatus?.detail == "credentials-added")
        let head = try await client.request(request: HttpRequest("HEAD", "https://api.example.com/", []))
        #expect(head.cacheStatus?.detail == "credentials-added")
        #expect(await storage.allEntries() == stored)
    }
}
