import Foundation
import HTTPTypes
import Sallyport
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.nghttpd != nil, "run .ci/real-servers to have nghttpd started")
)
struct NghttpdTests {
    private let server = RealServer.nghttpd ?? ""
    private let client = HttpClient.createClient { config in
        config.transportConfiguration.httpVersions = .http2
        // The transfers of this suite share the processors with a browser and nine other servers.
        config.timeout = 60
    }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: RealServer.nghttpdFiles ?? "").appendingPathComponent(name))
    }

    private static func trusting() -> HttpClient {
        HttpClient.createClient { config in
            config.timeout = 60
            config.transportConfiguration.security.trustRoots = .file(
                URL(fileURLWithPath: RealServer.nghttpdAuthority ?? "")
            )
        }
    }

    @Test func `A GET over cleartext HTTP/2 returns the file unchanged`() async throws {
        let response = try await client.request { request in request.url = "\(server)/bytes.bin" }
        #expect(response.status == .ok)
        #expect(response.connection.httpVersion == .http2)
        #expect(try response.body == file("bytes.bin"))
    }

    @Test func `HTTP/2 is selected by default over TLS`() async throws {
        let response = try await Self.trusting().request { request in
            request.url = "\(RealServer.nghttpdTLS ?? "")/bytes.bin"
        }
        #expect(response.connection.httpVersion == .http2)
        #expect(response.connection.tlsVersion == "TLSv1.3")
        #expect(try response.body == file("bytes.bin"))
    }

    @Test func `Trailers after a body are available`() async throws {
        let response = try await client.request { request in request.url = "\(server)/hello.txt" }
        #expect(response.bodyAsString() == "hello")
        let name = try #require(HTTPField.Name("x-sum"))
        #expect(response.trailers[name] == "42")
    }

    @Test(arguments: [0, 1, 16_384, 65_536, 5_000_000])
    func `An upload is echoed unchanged`(size: Int) async throws {
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 9)) })
        let response = try await client.request { request in
            request.url = "\(RealServer.nghttpdEcho ?? "")/echo"
            request.put(contentType: "application/octet-stream", body: bytes)
        }
        #expect(response.status == .ok)
        #expect((response.body ?? Data()) == bytes)
    }

    @Test func `One hundred concurrent calls share one connection`() async throws {
        let client = Self.trusting()
        let reused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let response = try await client.request { request in
                        request.url = "\(RealServer.nghttpdTLS ?? "")/bytes.bin"
                    }
                    #expect(response.body?.count == 1_000_000)
                    return response.connection.isReused
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(reused == 99)
    }

    @Test func `Fifty uploads wait for streams if the server allows seven at a time`() async throws {
        let bytes = Data(repeating: 7, count: 100_000)
        try await withThrowingTaskGroup(of: Data?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await client.request { request in
                        request.url = "\(RealServer.nghttpdEcho ?? "")/echo"
                        request.put(contentType: "application/octet-stream", body: bytes)
                    }.body
                }
            }
            for try await body in group { #expect(body == bytes) }
        }
    }
}
