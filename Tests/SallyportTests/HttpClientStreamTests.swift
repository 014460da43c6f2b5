import ClientTestSupport
import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HttpClientStreamTests {
    @Test func `A streamed body is delivered in chunks and is not limited by maximumBodySize`() async throws {
        let (client, _) = makeClient(.text("abcdefgh").with(.drip(bytes: 3))) { $0.maximumBodySize = 1 }
        let chunks = try await client.stream { request in
            request.url = "https://example.com/"
        } handle: { response in
            #expect(response.body == nil)
            var chunks: [String] = []
            for try await chunk in response.bodyStream { chunks.append(String(decoding: chunk, as: UTF8.self)) }
            return chunks
        }
        #expect(chunks == ["abc", "def", "gh"])
    }

    @Test func `Trailers are available after the body has been read`() async throws {
        let (client, _) = makeClient(MockResponse(body: Data("a".utf8), trailers: [.eTag: "x"]))
        try await client.stream(request: makeRequest()) { response in
            #expect(response.trailers.isEmpty)
            for try await _ in response.bodyStream {}
            #expect(response.trailers[.eTag] == "x")
        }
    }

    @Test func `The body cannot be read after the closure has returned`() async throws {
        let (client, _) = makeClient(.text("abc"))
        let response = try await client.stream(request: makeRequest()) { $0 }
        await expectError(\NetworkError.kind, "cancelled") { try await response.bodyStream.collect(upTo: 10) }
    }

    @Test func `By default a streamed call has a timeout for the head only, and a request can set a total timeout`()
        async throws
    {
        let (client, server) = makeClient()
        try await client.stream(request: makeRequest()) { _ in }
        try await client.stream(request: makeRequest { $0.timeout = 2 }) { _ in }
        #expect(server.requests.map(\.timeouts.total?.roundedUp) == [nil, 2])
        #expect(server.requests.map(\.timeouts.head) == [.seconds(15), nil])
    }

    @Test func `An error thrown by the closure is rethrown unchanged`() async throws {
        struct Mine: Error {}
        let (client, _) = makeClient()
        await #expect(throws: Mine.self) {
            try await client.stream(request: makeRequest()) { _ in throw Mine() }
        }
    }

    @Test func `An error of the body names the request`() async throws {
        let (client, _) = makeClient(.text("abcdef").with(.cut(after: 2)))
        await #expect {
            try await client.stream(request: makeRequest()) { response in
                for try await _ in response.bodyStream {}
            }
        } throws: { error in
            guard case NetworkError.incompleteBody(let failure) = error else { return false }
            return failure.request == "GET https://api.example.com/"
        }
    }

    @Test func `Redirects and cookies work for streamed calls`() async throws {
        let server = MockTransport()
        server.on(.get, "/a", .redirect(to: "/b").header(.setCookie, "id=1"))
        server.on(.get, "/b", .text("there"))
        let (client, _) = makeClient(server) { $0.redirects = .follow(limit: 3) }
        let body = try await client.stream(request: makeRequest("https://api.example.com/a")) { response in
            try await response.bodyStream.collect(upTo: 100)
        }
        #expect(body == Data("there".utf8))
        #expect(server.requests.last?.header("Cookie") == "id=1")
    }
}
