import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct CompressedBodiesTests {
    /// Four mebibytes of zeros in 4,098 bytes of gzip.
    private static let bomb: [UInt8] =
        [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 1, 1, 0, 0, 0, 130, 32, 255, 175, 110, 72, 64, 1]
        + Sample.zeros(4063) + [124, 27, 106, 64, 71, 17, 0, 0, 64, 0]

    private static let script: Script = {
        let fields = "Cache-Control: max-age=60\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)"
        return [.receiveRequest, .send("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n"), .sendBytes(bomb)]
    }()

    @Test func `A body of any ratio is streamed, also from a cache, and recorded in part`() async throws {
        try await withScriptedServer([Self.script]) { server in
            let recorder = TrafficRecorder()
            let client = HttpClient.createClient { config in
                config.maximumBodySize = 1 << 20
                config.cache = HttpCache(storage: MemoryCacheStorage())
                config.recorder = recorder
            }
            let request = HttpRequest(url: "http://\(server.authority)/")
            for isHit in [false, true] {
                let size = try await client.stream(request: request) { response in
                    #expect(response.cacheStatus?.isHit == isHit)
                    return try await response.bodyStream.reduce(into: 0) { $0 += $1.count }
                }
                #expect(size == 4 << 20)
            }
            #expect(try recorder.archive().data().count < 1 << 20)
            let error = await #expect(throws: NetworkError.self) {
                let _: HttpResponse = try await client.request(request: request)
            }
            #expect(error?.kind == "responseTooLarge")
            #expect(server.requests.count == 1)
            client.close()
        }
    }

    @Test func `A body that is collected is refused when it exceeds the maximum of its client`() async throws {
        try await withScriptedServer([Self.script]) { server in
            let client = HttpClient.createClient { $0.maximumBodySize = 1 << 20 }
            let error = await #expect(throws: NetworkError.self) {
                let _: HttpResponse = try await client.request { $0.url = "http://\(server.authority)/" }
            }
            guard case .responseTooLarge(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.reason == "the body is longer than the 1.0 MiB that are accepted")
            try await server.waitForOpenConnections(0)
            client.close()
        }
    }
}
