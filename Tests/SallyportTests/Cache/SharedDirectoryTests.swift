import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct SharedDirectoryTests {
    /// Returns a client with a storage of its own in a directory that other clients use too.
    private func client(_ server: MockTransport, _ clock: CacheClock, at directory: URL) -> HttpClient {
        makeCachingClient(server, clock.cache(DirectoryCacheStorage(at: directory)))
    }

    private let request = HttpRequest(url: "https://api.example.com/catalog")

    @Test func `A client uses, validates and removes the responses that another client has stored`() async throws {
        let server = MockTransport { request in
            if request.header("If-None-Match") == "\"a\"" {
                return MockResponse(status: .notModified, headers: [.cacheControl: "max-age=60", .eTag: "\"a\""])
            }
            return MockResponse(headers: [.cacheControl: "max-age=60", .eTag: "\"a\""], body: Data("body".utf8))
        }
        try await withTemporaryDirectory { folder in
            let directory = folder.appendingPathComponent("cache")
            let clock = CacheClock()
            let first = client(server, clock, at: directory)
            let second = client(server, clock, at: directory)
            _ = try await first.request(request: request)
            let hit = try await second.request(request: request)
            #expect(hit.cacheStatus?.description == "Sallyport; hit; ttl=60")
            #expect(hit.bodyAsString() == "body")

            clock.advance(by: 100)
            let validated = try await second.request(request: request)
            #expect(validated.cacheStatus?.forwardStatus == 304)
            #expect(validated.bodyAsString() == "body")
            #expect(try await first.request(request: request).cacheStatus?.isHit == true)

            var post = request
            post.post(contentType: "text/plain", body: "change")
            _ = try await first.request(request: post)
            #expect(try await second.request(request: request).cacheStatus?.forward == .uriMiss)
        }
    }

    @Test func `Each of two processes uses the responses that the other one has stored`() async throws {
        let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: 4\r\n\r\n"
        let script: Script = [.repeating([.receiveHead, .send(head + "body")], times: 4)]
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([script]) { server in
                let directory = folder.appendingPathComponent("cache").path
                let workers = try (1...2).map { _ in try Worker("CacheWorker", directory, "call", "0") }
                for (number, order) in [workers, workers.reversed()].enumerated() {
                    for (worker, decision) in zip(order, ["Sallyport; fwd=uri-miss", "Sallyport; hit; "]) {
                        worker.send("http://\(server.authority)/\(number)")
                        let line = try await worker.line(number + 1)
                        #expect(line.hasPrefix(decision) && line.hasSuffix(": body"), "\(line)")
                    }
                }
                #expect(server.requests.map(\.target) == ["/0", "/1"])
            }
        }
    }
}
