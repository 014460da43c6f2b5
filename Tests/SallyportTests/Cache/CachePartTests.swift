import ClientTestSupport
import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct CachePartTests {
    private static let fresh = "Cache-Control: max-age=60"

    /// Returns a part of the body `0123456789`.
    private static func part(_ range: ClosedRange<Int>, tag: String = "\"a\"", fields: [String] = []) -> String {
        let lines = [fresh, "ETag: \(tag)", "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/10"] + fields
        return rawResponse(206, lines, String("0123456789".dropFirst(range.lowerBound).prefix(range.count)))
    }

    private func body(_ cache: CacheServer, isStreamed: Bool) async throws -> (HttpResponse, String) {
        let request = HttpRequest(url: cache.url)
        if !isStreamed {
            let response = try await cache.client.request(request: request)
            return (response, response.bodyAsString())
        }
        return try await cache.client.stream(request: request) { response in
            (response, String(decoding: try await response.bodyStream.collect(upTo: 100), as: UTF8.self))
        }
    }

    @Test(arguments: [true, false])
    func `The rest of a response whose beginning is stored is requested, and the combination is stored`(
        isStreamed: Bool
    )
        async throws
    {
        let answers = [Self.part(0...3), Self.part(0...4), Self.part(5...9, fields: ["X-A: new", "Set-Cookie: a=b"])]
        try await withCacheServer(answers, { $0.cookieJar = nil }) { cache in
            _ = try await cache.request("GET", ["Range: bytes=0-3"])
            _ = try await cache.request("GET", ["Range: bytes=0-4"])
            let (response, text) = try await body(cache, isStreamed: isStreamed)
            #expect(text == "0123456789")
            #expect(response.status.code == 200)
            #expect(response.getHeader(name: "Content-Range") == nil)
            #expect(response.getHeader(name: "Content-Length") == "10")
            #expect(response.getHeader(name: "X-A") == "new")
            #expect(response.getHeader(name: "Set-Cookie") == "a=b")
            #expect(
                response.cacheStatus?.description == "Sallyport; fwd=partial; fwd-status=206; ttl=60; stored"
            )
            #expect(cache.server.requests.last?["Range"] == ["bytes=5-"])
            #expect(cache.server.requests.last?["If-Range"] == ["\"a\""])
            #expect(try await cache.entries().map(\.bodyLength) == [10])
            let hit = try await cache.request()
            #expect(hit.bodyAsString() == "0123456789")
            #expect(hit.cacheStatus?.isHit == true)
            #expect(cache.server.requests.count == 3)
        }
    }

    @Test(
        arguments: [
            part(5...9, tag: "\"b\""), part(5...9, tag: "W/\"a\""), part(4...9), part(5...8),
            rawResponse(416, [], "no"),
            part(5...9).replacing("/10", with: "/11"), rawResponse(206, [fresh, "ETag: \"a\""], "56789"),
        ]
    )
    func `A rest that does not belong to the beginning is discarded, and the complete response requested`(rest: String)
        async throws
    {
        let complete = rawResponse(200, [Self.fresh], "complete")
        try await withCacheServer([Self.part(0...4), rest, complete]) { cache in
            _ = try await cache.request("GET", ["Range: bytes=0-4"])
            let response = try await cache.request()
            #expect(response.bodyAsString() == "complete")
            #expect(response.cacheStatus?.detail == "range-mismatch")
            #expect(cache.server.requests.map { $0["Range"].first } == ["bytes=0-4", "bytes=5-", nil])
            let range = try await cache.request("GET", ["Range: bytes=0-4"])
            #expect(range.bodyAsString() == "compl")
            #expect(range.cacheStatus?.isHit == true)
        }
    }

    @Test func `The complete response replaces the stored beginning if the server has another version`() async throws {
        let complete = rawResponse(200, [Self.fresh, "ETag: \"b\""], "complete")
        try await withCacheServer([Self.part(0...4), complete]) { cache in
            _ = try await cache.request("GET", ["Range: bytes=0-4"])
            #expect(try await cache.request().bodyAsString() == "complete")
            #expect(try await cache.request("GET", ["Range: bytes=0-2"]).bodyAsString() == "com")
            #expect(try await cache.entries().count == 1)
            #expect(cache.server.requests.count == 2)
        }
    }

    @Test(arguments: [true, false])
    func `A rest with another length than stated is an error, and is not stored`(isShort: Bool) async throws {
        let head = "HTTP/1.1 206 Partial\r\nETag: \"a\"\r\nContent-Range: bytes 5-9/10\r\n"
        let chunk = isShort ? "4\r\n5678" : "6\r\n56789a"
        let rest = head + "Transfer-Encoding: chunked\r\n\r\n\(chunk)\r\n0\r\n\r\n"
        try await withCacheServer([Self.part(0...4), rest]) { cache in
            _ = try await cache.request("GET", ["Range: bytes=0-4"])
            await #expect {
                try await cache.request()
            } throws: { error in
                guard case NetworkError.incompleteBody(let failure) = error else { return false }
                return failure.reason.contains("1 B \(isShort ? "less" : "more") than the rest of the stored response")
            }
            #expect(try await cache.entries().allSatisfy { $0.head.status == 206 })
        }
    }

    @Test(arguments: ["W/\"a\"", ""])
    func `A beginning without a strong tag is not combined`(tag: String) async throws {
        let complete = rawResponse(200, [Self.fresh], "complete")
        try await withCacheServer([Self.part(0...4, tag: tag), complete]) { cache in
            _ = try await cache.request("GET", ["Range: bytes=0-4"])
            #expect(try await cache.request().bodyAsString() == "complete")
            #expect(cache.server.requests.last?["Range"] == [])
        }
    }

    @Test func `A part in a directory is used by another client`() async throws {
        try await withTemporaryDirectory { folder in
            try await withCacheServer([Self.part(2...6)], storage: DirectoryCacheStorage(at: folder)) { cache in
                _ = try await cache.request("GET", ["Range: bytes=2-6"])
                let client = HttpClient.createClient { config in
                    config.cache = cache.clock.cache(DirectoryCacheStorage(at: folder))
                }
                defer { client.close() }
                let response = try await client.request(
                    request: HttpRequest("GET", cache.url, ["Range: bytes=3-4"])
                )
                #expect(response.status.code == 206)
                #expect(response.bodyAsString() == "34")
                #expect(cache.server.requests.count == 1)
            }
        }
    }
}
