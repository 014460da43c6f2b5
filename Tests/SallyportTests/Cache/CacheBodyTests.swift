import ClientTestSupport
import Foundation
import HTTPTypes
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport

private let fresh = "Cache-Control: max-age=60"

/// `first ` a hundred times, compressed with gzip.
private let compressed = Data(
    base64Encoded: "H4sIAAAAAAACA0vLLCouUUgbJUdJqpIAr/XQ01gCAAA="
)!

private let text = String(repeating: "first ", count: 100)

@Suite(.concurrencyLimited) struct CacheBodyTests {
    private func compressedResponse(_ fields: String = "") -> Script {
        let head =
            "HTTP/1.1 200 OK\r\n\(fresh)\r\nContent-Encoding: gzip\r\n\(fields)Content-Length: \(compressed.count)\r\n\r\n"
        return [.receiveRequest, .send(head), .sendBytes(Array(compressed))]
    }

    @Test func `Bodies are stored before content decoding`() async throws {
        try await withCacheServer(scripts: [compressedResponse()]) { server in
            for isHit in [false, true] {
                let response = try await server.request()
                #expect(response.cacheStatus?.isHit == isHit)
                #expect(response.bodyAsString() == text)
                #expect(response.getHeader(name: "Content-Encoding") == nil)
                #expect(response.getHeader(name: "Content-Length") == nil)
            }
            let entry = try #require(try await server.entries().first)
            #expect(entry.bodyLength == Int64(compressed.count))
            #expect(entry.head.fields[.contentEncoding] == "gzip")
        }
    }

    @Test func `An encoded body is not returned to a request that does not accept the coding`() async throws {
        let responses = [compressedResponse(), [.receiveRequest, .send(rawResponse(200, [], "plain"))]].flatMap(\.self)
        try await withCacheServer(scripts: [responses]) { server in
            _ = try await server.request()
            let response = try await server.request("GET", ["Accept-Encoding: identity"])
            #expect(response.bodyAsString() == "plain")
        }
    }

    @Test(arguments: [false, true])
    func `A streamed body is stored while it is read, and streamed from the cache`(isCompressed: Bool) async throws {
        let script = isCompressed ? compressedResponse() : [.receiveRequest, .send(rawResponse(200, [fresh], text))]
        try await withCacheServer(scripts: [script]) { server in
            for isHit in [false, true] {
                let body = try await server.client.stream({ $0.url = server.url }) { response in
                    #expect(response.cacheStatus?.isHit == isHit)
                    #expect(response.body == nil)
                    return try await response.bodyStream.collect(upTo: 10_000)
                }
                #expect(String(decoding: body, as: UTF8.self) == text)
            }
            #expect(server.server.requests.count == 1)
        }
    }

    @Test func `A streamed body that is not read to its end is not stored`() async throws {
        try await withCacheServer([rawResponse(200, [fresh], "first")]) { server in
            try await server.client.stream({ $0.url = server.url }) { response in
                #expect(response.cacheStatus?.isStored == true)
            }
            #expect(try await server.entries().isEmpty)
        }
    }

    @Test func `A damaged body that is streamed is an error, and its response is removed`() async throws {
        let storage = FailingStorage(operation: .read)
        try await withCacheServer([rawResponse(200, [fresh], "first")], storage: storage) { server in
            _ = try await server.request()
            await expectError(\NetworkError.kind, "networkError") {
                try await server.client.stream({ $0.url = server.url }) { response in
                    try await response.bodyStream.collect(upTo: 10)
                }
            }
            let entries = try await server.entries()
            #expect(entries.isEmpty)
        }
    }

    @Test func `Tasks that read a stored body at the same time receive different pieces of it`() async throws {
        let words = (0..<250_000).map { String(format: "%08d", $0) }
        let text = words.joined()
        try await withTemporaryDirectory { folder in
            let storages: [any HttpCacheStorage] = [MemoryCacheStorage(), DirectoryCacheStorage(at: folder)]
            for storage in storages {
                try await withCacheServer([rawResponse(200, [fresh], text)], storage: storage) { server in
                    _ = try await server.request()
                    let pieces = try await server.client.stream({ $0.url = server.url }) { response in
                        #expect(response.cacheStatus?.isHit == true)
                        return try await withThrowingTaskGroup(of: [Data].self) { group in
                            for _ in 0..<4 {
                                group.addTask {
                                    var pieces: [Data] = []
                                    for try await piece in response.bodyStream { pieces.append(piece) }
                                    return pieces
                                }
                            }
                            return try await group.reduce([], +)
                        }
                    }
                    // Each piece begins with its position.
                    let sorted = pieces.map { String(decoding: $0, as: UTF8.self) }.sorted()
                    #expect(sorted.count > 1)
                    #expect(sorted.joined() == text)
                }
            }
        }
    }

    @Test func `A body that an interceptor has replaced is stored as the interceptor returns it`() async throws {
        struct Shouting: Interceptor {
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                var response = try await next(request)
                response.body = Data(response.bodyAsString().uppercased().utf8)
                response.headers.fields[.contentLength] = nil
                return response
            }
        }
        try await withCacheServer(scripts: [compressedResponse()], { $0.addWireInterceptor(Shouting()) }) { server in
            for _ in 0..<2 { #expect(try await server.request().bodyAsString() == text.uppercased()) }
            let entry = try #require(try await server.entries().first)
            #expect(entry.head.fields[.contentEncoding] == nil)
        }
    }

    @Test func `A stored body that is too large to collect is an error`() async throws {
        try await withCacheServer([rawResponse(200, [fresh], "first")]) { server in
            _ = try await server.request()
            let small = server.client.derived { $0.maximumBodySize = 2 }
            await expectError(\NetworkError.kind, "responseTooLarge") {
                try await small.request { $0.url = server.url }
            }
        }
    }

    @Test func `A body of another length than Content-Length is not stored`() async throws {
        let server = MockTransport { _ in
            MockResponse(headers: [.cacheControl: "max-age=60", .contentLength: "10"], body: Data("first".utf8))
        }
        let storage = MemoryCacheStorage()
        let client = makeCachingClient(server, HttpCache(storage: storage))
        let response = try await client.request(request: makeRequest())
        #expect(response.cacheStatus?.isStored == false)
        #expect(await storage.allEntries().isEmpty)
    }

    @Test func `A body that only the transport could decode is stored without properties of its encoded form`()
        async throws
    {
        let storage = MemoryCacheStorage()
        let client = HttpClient.createClient { config in
            config.transport = SystemDecoding()
            config.cache = HttpCache(storage: storage)
        }
        for _ in 0..<2 {
            #expect(try await client.request(request: makeRequest()).bodyAsString() == "decoded")
        }
        let fields = try #require(await storage.allEntries().first).head.fields
        #expect(fields[.eTag] == "W/\"a\"")
        #expect(fields[.acceptRanges] == "none")
        #expect(!fields.contains { $0.name.canonicalName == "repr-digest" })
    }
}

/// A transport that decodes bodies and does not provide the encoded ones, as `URLSession` does.
private struct SystemDecoding: Transport {
    func send(_ request: TransportRequest, in scope: ExchangeScope) async throws(NetworkError) -> TransportResponse {
        let fields: HTTPFields = [
            .cacheControl: "max-age=60", .eTag: "\"a\"", HTTPField.Name("Repr-Digest")!: "sha-256=:AAAA:",
        ]
        let body = ResponseBody(Data("decoded".utf8), trailers: [:], isDecoded: true)
        return TransportResponse(head: HTTPResponse(status: .ok, headerFields: fields), body: body)
    }

    func close() {}

    func shutdown(grace: Duration) async {}
}
