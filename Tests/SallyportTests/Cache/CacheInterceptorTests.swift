import ClientTestSupport
import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

private let fresh = "Cache-Control: max-age=60"
private let tag = "ETag: \"a\""

@Suite(.concurrencyLimited) struct CacheInterceptorTests {
    @Test func `Without a cache, each call is sent and has no cache status`() async throws {
        let (client, server) = makeClient(MockResponse(headers: [.cacheControl: "max-age=60"]))
        for _ in 0..<2 {
            let response = try await client.request(request: makeRequest())
            #expect(response.cacheStatus == nil)
        }
        #expect(server.requests.count == 2)
    }

    @Test func `A 304 for another response repeats the request without conditions`() async throws {
        let responses = [
            rawResponse(200, ["Cache-Control: no-cache", tag], "first"), rawResponse(304, ["ETag: \"b\""], ""),
            rawResponse(200, [fresh], "third"),
        ]
        try await withCacheServer(responses) { server in
            _ = try await server.request()
            let response = try await server.request()
            #expect(response.bodyAsString() == "third")
            #expect(response.cacheStatus?.description == "Sallyport; fwd=stale; ttl=60; stored; detail=etag-mismatch")
            #expect(server.server.requests.map { $0["If-None-Match"] } == [[], ["\"a\""], []])
        }
    }

    @Test func `A response is validated after it has been returned with stale-while-revalidate`() async throws {
        let stale = "Cache-Control: max-age=60, stale-while-revalidate=60"
        let responses = [rawResponse(200, [stale, tag], "first"), rawResponse(304, [stale], "")]
        try await withCacheServer(responses) { server in
            _ = try await server.request()
            server.clock.advance(by: 70)
            let response = try await server.request()
            #expect(response.bodyAsString() == "first")
            #expect(response.cacheStatus?.description == "Sallyport; hit; ttl=-10; detail=stale-while-revalidate")
            try await server.waitForRequests(2)
            #expect(server.server.requests.last?["If-None-Match"] == ["\"a\""])
            try await waitForLifetime(60, in: server)
        }
    }

    @Test func `A new response of a validation in the background is stored`() async throws {
        let stale = "Cache-Control: max-age=60, stale-while-revalidate=60"
        try await withCacheServer([rawResponse(200, [stale], "first"), rawResponse(200, [stale], "second")]) { server in
            _ = try await server.request()
            server.clock.advance(by: 70)
            let response = try await server.request("GET", ["If-None-Match: \"x\"", "Range: bytes=0-1"])
            #expect(response.bodyAsString() == "first")
            try await waitForLifetime(60, in: server)
            #expect(server.server.requests.count == 2)
            #expect(server.server.requests.last?["If-None-Match"] == [])
            #expect(server.server.requests.last?["Range"] == [])
            #expect(try await server.request().bodyAsString() == "second")
        }
    }

    /// Waits until the stored response has a remaining lifetime.
    private func waitForLifetime(_ seconds: Int, in server: CacheServer) async throws {
        try await withDeadline(.patience, "the validation in the background") {
            while true {
                try Task.checkCancellation()
                let response = try await server.request("GET", ["Cache-Control: only-if-cached"])
                if response.cacheStatus?.timeToLive == seconds { return }
                await Task.yield()
            }
        }
    }

    @Test func `Closing the client ends a validation in the background`() async throws {
        let stale = rawResponse(200, ["Cache-Control: max-age=0, stale-while-revalidate=60", tag], "first")
        let scripts: [Script] = [[.receiveRequest, .send(stale), .receiveRequest, .stall]]
        try await withCacheServer(scripts: scripts) { server in
            _ = try await server.request()
            _ = try await server.request()
            try await server.waitForRequests(2)
            server.client.close()
            try await server.server.waitForOpenConnections(0)
        }
    }

    @Test func `A stale response is validated in the background once at a time`() async throws {
        let stale = rawResponse(200, ["Cache-Control: max-age=0, stale-while-revalidate=60", tag], "first")
        let scripts: [Script] = [[.receiveRequest, .send(stale), .receiveRequest, .stall]]
        try await withCacheServer(scripts: scripts) { server in
            _ = try await server.request()
            for _ in 0..<10 { _ = try await server.request() }
            try await server.waitForRequests(2)
            for _ in 0..<10 { _ = try await server.request() }
            #expect(server.server.requests.count == 2)
        }
    }

    @Test func `With stale-if-error, a stale response replaces a lost connection`() async throws {
        let first = rawResponse(200, ["Cache-Control: max-age=60, stale-if-error=60", tag], "first")
        let scripts: [Script] = [[.receiveRequest, .send(first), .receiveRequest, .reset], [.receiveRequest, .reset]]
        try await withCacheServer(scripts: scripts) { server in
            _ = try await server.request()
            server.clock.advance(by: 70)
            let response = try await server.request()
            #expect(response.bodyAsString() == "first")
            #expect(response.cacheStatus?.description == "Sallyport; fwd=stale; ttl=-10; detail=stale-if-error")
        }
    }

    @Test(arguments: [true, false])
    func `With stale-if-error, the age of a response counts at the time of the error`(isError: Bool) async throws {
        let clock = CacheClock()
        let requests = Locked(0)
        let server = MockTransport { _ in
            let number = requests.withLock { count -> Int in
                count += 1
                return count
            }
            if number == 1 {
                let fields: HTTPFields = [.cacheControl: "max-age=60, stale-if-error=60", .eTag: "\"a\""]
                return MockResponse(headers: fields, body: Data("first".utf8))
            }
            clock.advance(by: 30)
            if isError { throw NetworkError.timeout("no response") }
            return MockResponse(status: .serviceUnavailable)
        }
        let client = makeCachingClient(server, clock.cache())
        _ = try await client.request(request: makeRequest())
        clock.advance(by: 70)
        let response = try await client.request(request: makeRequest())
        #expect(response.bodyAsString() == "first")
        #expect(response.cacheStatus?.timeToLive == -40)
        #expect(response.getCombinedHeader(name: "Age") == "100")
        // The response is stale for 40 seconds, and for 70 at the time of the error.
        if isError {
            await expectError(\NetworkError.kind, "timeout") { try await client.request(request: makeRequest()) }
        } else {
            #expect(try await client.request(request: makeRequest()).status == .serviceUnavailable)
        }
    }

    @Test func `Without stale-if-error, a lost connection is an error`() async throws {
        let first = rawResponse(200, [fresh, tag], "first")
        let scripts: [Script] = [[.receiveRequest, .send(first), .receiveRequest, .reset], [.receiveRequest, .reset]]
        try await withCacheServer(scripts: scripts) { server in
            _ = try await server.request()
            server.clock.advance(by: 70)
            await expectError(\NetworkError.kind, "connectionLost") { try await server.request() }
        }
    }

    @Test func `An incomplete body is not stored`() async throws {
        let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nfirst"
        try await withCacheServer(scripts: [[.receiveRequest, .send(head), .close]]) { server in
            await expectError(\NetworkError.kind, "incompleteBody") { try await server.request() }
            let entries = try await server.entries()
            #expect(entries.isEmpty)
        }
    }

    @Test(arguments: FailingStorage.Operation.allCases)
    func `A storage that fails is no error of a call`(operation: FailingStorage.Operation) async throws {
        let storage = FailingStorage(operation: operation)
        let responses = [
            rawResponse(200, [fresh], "first"), rawResponse(200, [fresh], "first"), rawResponse(200, [], "first"),
        ]
        try await withCacheServer(responses, storage: storage) { server in
            for method in ["GET", "GET", "POST"] {
                let response = try await server.request(method)
                #expect(response.status == .ok)
                #expect(response.bodyAsString() == "first")
            }
        }
    }

    @Test func `A response whose body is damaged is removed, and requested again`() async throws {
        let storage = FailingStorage(operation: .read)
        try await withCacheServer(
            [rawResponse(200, [fresh], "first"), rawResponse(200, [], "second")],
            storage: storage
        ) {
            server in
            _ = try await server.request()
            let response = try await server.request()
            #expect(response.bodyAsString() == "second")
            #expect(response.cacheStatus?.forward == .miss)
            #expect(await storage.storage.allEntries().isEmpty)
        }
    }

    @Test func `A damaged response is refused if only a stored one is requested`() async throws {
        let storage = FailingStorage(operation: .read)
        try await withCacheServer([rawResponse(200, [fresh], "first")], storage: storage) { server in
            _ = try await server.request()
            let response = try await server.request("GET", ["Cache-Control: only-if-cached"])
            #expect(response.status == .gatewayTimeout)
            #expect(server.server.requests.count == 1)
        }
    }

    @Test func `A response from the cache is not retried`() async throws {
        try await withCacheServer(
            [rawResponse(503, [fresh], "first"), rawResponse(503, [fresh], "second")],
            { config in
                config.retry = .exponential(attempts: 3)
                config.retryTime = ManualTime().retryTime
            }
        ) { server in
            let response = try await server.request()
            #expect(response.status == .serviceUnavailable)
            #expect(response.cacheStatus?.isHit == true)
            #expect(server.server.requests.count == 1)
            let refused = try await server.request("GET", ["Cache-Control: only-if-cached, max-age=0, min-fresh=100"])
            #expect(refused.status == .gatewayTimeout)
            #expect(refused.attempts == 1)
        }
    }

    @Test func `A client that refuses plain HTTP does not return responses to it`() async throws {
        let server = MockTransport { _ in MockResponse(headers: [.cacheControl: "max-age=60"]) }
        let cache = CacheClock().cache()
        let request = makeRequest("http://api.example.com/")
        let lenient = makeCachingClient(server, cache) { $0.allowsPlainHTTP = true }
        for _ in 1...2 { _ = try await lenient.request(request: request) }
        #expect(server.requests.count == 1)
        let strict = makeCachingClient(server, cache)
        await expectError(\NetworkError.kind, "invalidRequest") { try await strict.request(request: request) }
    }

    @Test func `Redirects are followed from the cache`() async throws {
        let responses = [rawResponse(301, [fresh, "Location: /target"], ""), rawResponse(200, [fresh], "target")]
        try await withCacheServer(responses, { $0.redirects = .follow(limit: 5) }) { server in
            for _ in 0..<2 {
                let response = try await server.request()
                #expect(response.bodyAsString() == "target")
            }
            #expect(server.server.requests.count == 2)
        }
    }

    @Test func `The trace contains the decisions of the cache`() async throws {
        let responses = [rawResponse(200, [fresh, tag], "first"), rawResponse(304, [fresh], "")]
        try await withCacheServer(responses, { $0.isTraced = true }) { server in
            let miss = try await server.request()
            #expect(miss.trace?.attempts.map(\.cacheStatus) == [miss.cacheStatus])
            let hit = try await server.request()
            #expect(hit.trace?.description.hasSuffix("< 200 by cache\n= Sallyport; hit; ttl=60") == true)
            server.clock.advance(by: 60)
            let validated = try await server.request()
            let trace = try #require(validated.trace?.description)
            #expect(trace.contains("@ cache\n+ header If-None-Match: \"a\""))
            #expect(trace.hasSuffix("< 304\n= Sallyport; fwd=stale; fwd-status=304; ttl=60; stored"))
        }
    }

    @Test func `A response that is too long to be stored removes the stored one`() async throws {
        let storage = MemoryCacheStorage(maximumEntrySize: 10)
        let responses = [rawResponse(200, [fresh], "first"), rawResponse(200, [fresh], "the second one")]
        try await withCacheServer(responses, storage: storage) { server in
            #expect(try await server.request().cacheStatus?.isStored == true)
            let response = try await server.request("GET", ["Cache-Control: no-cache"])
            #expect(response.bodyAsString() == "the second one")
            #expect(response.cacheStatus?.isStored == false)
            let entries = try await server.entries()
            #expect(entries.isEmpty)
        }
    }
}
