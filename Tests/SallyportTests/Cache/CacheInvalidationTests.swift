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
    /// - Parameter other: The storage of the other user; `nil` for the same one.
    /// - Returns: The response to the GET request.
    private func get(
        _ storage: any HttpCacheStorage,
        beforePostTo url: String,
        with other: (any HttpCacheStorage)? = nil
    ) async throws -> HttpResponse {
        let server = MockTransport { _ in
            MockResponse(headers: [.cacheControl: "max-age=60"], body: Data("old".utf8))
        }
        var post = HttpRequest(url: url)
        post.post(contentType: "text/plain", body: "change")
        let alice = HttpCache(storage: storage, user: "alice")
        let bob = HttpCache(storage: other ?? storage, user: "bob")
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

    @Test func `A response is not stored if another storage of the directory has invalidated its resource`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let directory = folder.appendingPathComponent("cache")
            let (storage, other) = (DirectoryCacheStorage(at: directory), DirectoryCacheStorage(at: directory))
            for _ in 0..<2 {
                let response = try await get(storage, beforePostTo: "https://api.example.com/catalog", with: other)
                #expect(response.cacheStatus?.description == "Sallyport; fwd=uri-miss; detail=invalidated")
            }
            let entries = try await storage.allEntries()
            #expect(entries.isEmpty)

            let response = try await get(storage, beforePostTo: "https://api.example.com/orders", with: other)
            #expect(response.cacheStatus?.isStored == true, "the request was sent after the invalidation")
        }
    }

    @Test func `An invalidation in the future is ignored, because the clock was set back`() async throws {
        try await withTemporaryDirectory { folder in
            let storage = DirectoryCacheStorage(at: folder)
            try await storage.removeAll(of: numberedDigest(1))
            let file = folder.appendingPathComponent("invalidations/001")
            var head = HttpCacheHead(1)
            head.requestTime -= 10
            for (age, isInvalidated) in [(5.0, true), (-3600, false), (20, false)] {
                let date = Date(timeIntervalSinceNow: -age)
                try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
                do throws(HttpCacheStorageError) {
                    try await storage.begin(head, for: HttpCacheKey(1)).abandon()
                    #expect(!isInvalidated)
                } catch {
                    #expect(error == .invalidated)
                    #expect(isInvalidated)
                }
            }
        }
    }

    @Test func `A response is stored if another resource was invalidated after the request was sent`() async throws {
        let storage = MemoryCacheStorage()
        let response = try await get(storage, beforePostTo: "https://api.example.com/orders")
        #expect(response.cacheStatus?.isStored == true)
        #expect(await storage.allEntries().count == 1)
    }

    @Test func `A response whose removal has failed is not used, and is removed before the next request`() async throws
    {
        let storage = FailingStorage(operation: .change)
        let fields = ["Cache-Control: max-age=60"]
        let responses = ["first", "change", "second", "third"].map { rawResponse(200, fields, $0) }
        try await withCacheServer(responses, storage: storage) { server in
            _ = try await server.request()
            let post = try await server.request("POST")
            #expect(post.cacheStatus?.description == "Sallyport; fwd=method; detail=storage")
            let second = try await server.request()
            #expect(second.bodyAsString() == "second")
            #expect(second.cacheStatus?.description == "Sallyport; fwd=uri-miss; detail=storage")
            storage.isFailing.withLock { $0 = false }
            let third = try await server.request()
            #expect(third.bodyAsString() == "third")
            #expect(third.cacheStatus?.isStored == true)
            #expect(try await server.request().cacheStatus?.isHit == true)
        }
    }

    @Test func `A superseded response whose removal has failed is not used`() async throws {
        let storage = FailingStorage(operation: .change)
        let responses = [
            rawResponse(200, ["Cache-Control: max-age=60"], "first"),
            rawResponse(200, ["Cache-Control: no-store"], "second"), rawResponse(200, [], "third"),
        ]
        try await withCacheServer(responses, storage: storage) { server in
            _ = try await server.request()
            let reload = try await server.request("GET", ["Cache-Control: no-cache"])
            #expect(reload.cacheStatus?.description == "Sallyport; fwd=request; detail=no-store")
            #expect(try await server.request().bodyAsString() == "third")
        }
    }

    @Test func `After too many failed removals, all responses are removed before one is used`() throws {
        let invalidations = CacheInvalidations()
        for number in 0..<CacheInvalidations.maximumFailures { invalidations.removalFailed(of: "\(number)") }
        #expect(invalidations.failedRemoval(of: "other") == nil)
        let first = try #require(invalidations.failedRemoval(of: "0"))
        #expect(first.resource == "0")
        invalidations.removalFailed(of: "other")
        let all = try #require(invalidations.failedRemoval(of: "another"))
        #expect(all.resource == nil)
        invalidations.removalFailed(of: "0")
        invalidations.repeated(all)
        #expect(invalidations.failedRemoval(of: "0") != nil, "it has failed again meanwhile")
        invalidations.repeated(try #require(invalidations.failedRemoval(of: "0")))
        #expect(invalidations.failedRemoval(of: "0") == nil)
    }
}
