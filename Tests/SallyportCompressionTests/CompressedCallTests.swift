#if Compression && os(Linux)

import Sallyport
import SallyportCompression
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CompressedCallTests {
    private func answer(_ body: [UInt8], codings: String) -> [UInt8] {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(codings)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    private func client(decodedBytes: Int? = nil) -> HttpClient {
        HttpClient.createClient { config in
            config.transportConfiguration.contentCodings = [.brotli, .zstandard]
            config.transportConfiguration.responses.decodedBytes = decodedBytes
        }
    }

    private func call(_ server: ScriptedServer) async throws -> HttpResponse {
        try await client().request { request in request.url = "http://\(server.authority)/" }
    }

    /// Streams a response, and returns the size of its body.
    private func size(_ server: ScriptedServer, decodedBytes: Int? = nil) async throws -> Int {
        let request = HttpRequest(url: "http://\(server.authority)/")
        return try await client(decodedBytes: decodedBytes).stream(request: request) { response in
            try await response.bodyStream.reduce(into: 0) { $0 += $1.count }
        }
    }

    @Test(arguments: [EncodedBody.brotliRows, .zstandardRows, .zstandardFrames])
    func `Brotli and zstd are requested and decoded`(_ fixture: EncodedBody) async throws {
        let answer = answer(fixture.encoded, codings: fixture.coding)
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let response = try await call(server)
            #expect(response.body.map(Array.init) == fixture.decoded)
            #expect(response.getHeader(name: "Content-Encoding") == nil)
            #expect(response.getHeader(name: "Content-Length") == nil)
            #expect(server.requests.first?["Accept-Encoding"] == ["gzip, deflate, br, zstd"])
        }
    }

    @Test func `A triple-encoded body of 100 MB is streamed, and refused if it is collected`() async throws {
        let answer = answer(EncodedBody.nestedBomb.encoded, codings: "gzip, br, zstd")
        let script: Script = [.receiveRequest, .sendBytes(answer)]
        try await withScriptedServer([script, script]) { server in
            let error = await #expect(throws: NetworkError.self) { try await call(server) }
            guard case .responseTooLarge(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.reason == "the body is longer than the 64.0 MiB that are accepted")
            let size = try await size(server)
            #expect(size == 100_000_000)
        }
    }

    @Test func `A setting limits the size of a streamed body after decoding`() async throws {
        let answer = answer(EncodedBody.brotliBomb.encoded, codings: "br")
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let error = await #expect(throws: NetworkError.self) { try await size(server, decodedBytes: 1 << 20) }
            #expect(error?.failure.underlying as? ContentDecodingError == .sizeLimitExceeded(limit: 1 << 20))
        }
    }

    @Test func `A truncated encoded body is an error even if its Content-Length is right`() async throws {
        let answer = answer(Array(EncodedBody.zstandardText.encoded.prefix(40)), codings: "zstd")
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let error = await #expect(throws: NetworkError.self) { try await call(server) }
            #expect(error?.failure.underlying as? ContentDecodingError == .truncated)
        }
    }
}

#endif
