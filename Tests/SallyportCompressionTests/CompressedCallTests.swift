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

    private func call(_ server: ScriptedServer) async throws -> HttpResponse {
        let client = HttpClient.createClient { config in
            config.transportConfiguration.contentCodings = [.brotli, .zstandard]
        }
        return try await client.request { request in request.url = "http://\(server.authority)/" }
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

    @Test func `The error for a triple-encoded decompression bomb names the limit and the coding`() async throws {
        let answer = answer(EncodedBody.nestedBomb.encoded, codings: "gzip, br, zstd")
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let error = await #expect(throws: NetworkError.self) { try await call(server) }
            guard case .undecodableBody(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.underlying as? ContentDecodingError == .ratioLimitExceeded(limit: 200))
            #expect(
                failure.reason.contains("cannot be decoded from gzip: it decodes to more than the limit of 200 times")
            )
            #expect(failure.advice == "if the server is trusted, raise the limits on responses")
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
