import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

/// Sends a request with another client after a response was received, before the cache receives that.
private struct FollowingRequest: Interceptor {
    let client: HttpClient
    let following: HttpRequest

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let response = try await next(request)
        _ = try await client.request(request: following)
        return response
    }
}

@Suite(.concurrencyLimited) struct CacheInvalidationTests {
    private let request = HttpRequest(url: "https://api.example.com/catalog")

    /// Sends a GET request of a user and, before the cache receives its response, a POST request of another user.
    ///
    /// - Returns: The response to the GET request.
    private func get(_ storage: any HttpCacheStorage, beforePostTo url: String) async throws -> HttpResponse {
        let server = MockTransport { _ in
            MockResponse(headers: [.cacheControl: "max-age=60"], body: Data("old".utf8))
        }
        var post = HttpRequest(url: url)
        post.post(contentType: "text/plain", body: "change")
        let (alice, bob) = (CacheClock().cache(storage, user: "alice"), CacheClock().cache(storage, user: "bob"))
        let following = FollowingRequest(client: makeCachingClient(server, bob), following: post)
        let client = makeCachingClient(server, alice) { $0.addWireInterceptor(following) }
        return try await client.request(request: request)
    }

    @Test func `A response is not stored if its resource was invalidated after the request was sent`() async throws {
        try await withTemporaryDirectory { folder in
            let directory = DirectoryCacheStorage(at: folder.appendingPathComponent("cache"))
            let storages: [any HttpCacheStorage] = [MemoryCacheStorage(), directory]
            for storage in storages {
                let response = try await get(storage, beforePostTo: "https://api.example.com/catalog")
                #expect(response.bodyAsString() == "old")
                #expect(response.cacheStatus?.description == "Sallyport; fwd=uri-miss; detail=invalidated")
                let entries = try await storage.allEntries()
                #expect(entries.isEmpty)
            }
        }
    }

    @Test func `A response is stored if another resource was invalidated after the request was sent`() async throws {
        let storage = MemoryCacheStorage()
        let response = try await get(storage, beforePostTo: "https://api.example.com/orders")
        #expect(response.cacheStatus?.isStored == true)
        #expect(await storage.allEntries().count == 1)
    }
}
