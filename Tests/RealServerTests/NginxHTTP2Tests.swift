import Foundation
import Sallyport
import SallyportStorage
import TestSupport
import Testing

@Suite(
    .concurrencyLimited,
    .serialized,
    .enabled(if: RealServer.nginxHTTP2 != nil, "run .ci/real-servers to have nginx started")
)
struct NginxHTTP2Tests {
    private let server = RealServer.nginxHTTP2 ?? ""

    private func client(perHost: Int = 16) -> HttpClient {
        HttpClient.createClient { config in
            config.transportConfiguration.connections.perHost = perHost
            config.transportConfiguration.security.trustRoots = .file(
                URL(fileURLWithPath: RealServer.nginxHTTP2Authority ?? "")
            )
        }
    }

    /// Makes concurrent calls, and returns the number of calls on each connection, by nginx's connection number.
    private func connections(_ count: Int, _ client: HttpClient, to server: String?) async throws -> [String: Int] {
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let response = try await client.request { request in request.url = "\(server ?? "")/connection" }
                    let words = response.bodyAsString().split(separator: " ")
                    #expect(response.status == .ok)
                    #expect(words.last == "HTTP/2.0")
                    return words.first.map(String.init) ?? ""
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test func `One hundred concurrent calls share one connection`() async throws {
        let connections = try await connections(100, client(), to: server)
        #expect(connections.values.max() == 100)
    }

    @Test func `A file and an upload arrive unchanged`() async throws {
        let client = client()
        let download = try await client.request { request in request.url = "\(server)/bytes.bin" }
        #expect(download.body?.elementsEqual((0..<1_000_000).map { UInt8($0 * $0 % 251) }) == true)
        let upload = try await client.request { request in
            request.url = "\(server)/upload"
            request.put(contentType: "application/octet-stream", body: Data(repeating: 1, count: 3_000_000))
        }
        #expect(upload.bodyAsString() == "3000000")
    }

    @Test func `Refused streams are sent again`() async throws {
        // A stream is refused only if it arrives before nginx's settings are acknowledged.
        for _ in 0..<40 {
            let client = HttpClient.createClient { config in config.httpVersions = .http2 }
            defer { client.close() }
            let response = try await client.request { request in
                request.url = "\(RealServer.nginxHTTP2Refusing ?? "")/upload"
                request.post(contentType: "text/plain", body: Data("hello".utf8))
            }
            #expect(response.bodyAsString() == "5")
        }
        let log = try String(contentsOfFile: RealServer.nginxHTTP2Log ?? "", encoding: .utf8)
        #expect(log.contains("sent stream with data before settings were acknowledged"))
    }

    @Test func `Forty calls wait for streams if the server allows two at a time`() async throws {
        let connections = try await connections(40, client(perHost: 1), to: RealServer.nginxHTTP2Few)
        #expect(connections.values.reduce(0, +) == 40)
        #expect(connections.count <= 3)
    }

    @Test func `No call is lost if the server closes each connection after one hundred requests`() async throws {
        let client = client()
        var connections: [String: Int] = [:]
        for _ in 0..<20 {
            connections.merge(try await self.connections(50, client, to: RealServer.nginxHTTP2Short)) { $0 + $1 }
        }
        #expect(connections.values.reduce(0, +) == 1_000)
        #expect(connections.count >= 10)
        #expect(connections.values.allSatisfy { $0 <= 101 })
    }

    @Test func `No call fails while the server reloads its configuration`() async throws {
        let client = client()
        let slow = Task { try await client.request { request in request.url = "\(server)/slow.bin" }.body?.count }
        var seen: Set<String> = []
        for _ in 0..<3 {
            try await reloadConfiguration()
            for _ in 0..<40 { seen.formUnion(try await connections(5, client, to: server).keys) }
        }
        #expect(seen.count >= 2)
        #expect(try await slow.value == 1_000_000)
    }

    private func reloadConfiguration() async throws {
        let nginx = Process()
        nginx.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        nginx.arguments = ["nginx", "-c", RealServer.nginxHTTP2Configuration ?? "", "-s", "reload"]
        nginx.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        try nginx.run()
        await runBlocking { nginx.waitUntilExit() }
        #expect(nginx.terminationStatus == 0)
    }
}
