import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.nginx != nil, "run .ci/real-servers to have nginx started")
)
struct NginxTests {
    private let server = RealServer.nginx ?? ""
    private let client = HttpClient.createClient()

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: RealServer.nginxFiles ?? "").appendingPathComponent(name))
    }

    @Test func `A GET returns the file unchanged`() async throws {
        let response = try await client.request { request in request.url = "\(server)/bytes.bin" }
        #expect(response.status == .ok)
        #expect(try response.body == file("bytes.bin"))
    }

    @Test func `A range returns that part of the file`() async throws {
        let response = try await client.request { request in
            request.url = "\(server)/bytes.bin"
            request.setHeader(name: "Range", value: "bytes=1000-1999")
        }
        #expect(response.status == .partialContent)
        #expect(response.getHeader(name: "Content-Range") == "bytes 1000-1999/1000000")
        #expect(try response.body == file("bytes.bin")[1000..<2000])
    }

    @Test func `A response that nginx has compressed with gzip is decoded`() async throws {
        let decoded = try await client.request { request in request.url = "\(server)/text.txt" }
        #expect(try decoded.body == file("text.txt"))
        #expect(decoded.getHeader(name: "Content-Encoding") == nil)

        let plain = HttpClient.createClient { config in config.transportConfiguration.decodesContent = false }
        let encoded = try await plain.request { request in
            request.url = "\(server)/text.txt"
            request.setHeader(name: "Accept-Encoding", value: "gzip")
        }
        #expect(encoded.getHeader(name: "Content-Encoding") == "gzip")
        #expect((encoded.body?.count ?? .max) < (decoded.body?.count ?? 0) / 4)
    }

    @Test func `A missing file is a 404 with its page`() async throws {
        let response = try await client.request { request in request.url = "\(server)/nothing" }
        #expect(response.status == .notFound)
        #expect(response.bodyAsString().contains("404 Not Found"))
    }

    @Test func `One thousand sequential requests use one connection`() async throws {
        var connections: Set<String> = []
        for number in 1...1_000 {
            let response = try await client.request { request in request.url = "\(server)/connection" }
            let words = response.bodyAsString().split(separator: " ")
            connections.insert(String(words.first ?? ""))
            #expect(words.last.map(String.init) == "\(number)")
            #expect(response.connection.isReused == (number > 1))
        }
        #expect(connections.count == 1)
    }

    @Test func `An abrupt close is a connectionLost error, and the next call succeeds`() async throws {
        await #expect {
            try await client.request { request in request.url = "\(server)/abrupt" }
        } throws: { error in
            if case NetworkError.connectionLost = error { true } else { false }
        }
        let next = try await client.request { request in request.url = "\(server)/connection" }
        #expect(next.status == .ok)
    }
}
