import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct CancellationTests {
    private static let answer: [UInt8] =
        Array("HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n".utf8) + [UInt8](repeating: 65, count: 600)

    @Test(
        arguments: [HTTPVersionPolicy.http1, .http2],
        [false, true]
    )
    func `After 200 calls cancelled at random moments no connection, producer or open file remains`(
        versions: HTTPVersionPolicy,
        overTLS: Bool
    ) async throws {
        let authority = try TestAuthority()
        let tls = overTLS ? ServerTLS(identity: try authority.serverIdentity()) : nil
        let script: Script = [.repeating([.receiveRequest, .dripBytes(Self.answer)], times: 1_000)]
        var configuration = TransportConfiguration(
            security: TransportSecurity(trustRoots: .pem(authority.certificatePEM)),
            httpVersions: versions
        )
        configuration.connections.perHost = 4
        let engine = Engine(configuration: configuration)
        let body: @Sendable (ScriptedServer, Int) async throws -> Void = { server, port in
            try await cancelCalls(by: engine, toPort: port, overTLS: overTLS)
            try await server.waitForOpenConnections(0)
        }
        if versions == .http1 {
            try await withScriptedServer([script], tls: tls) { server in try await body(server, server.port) }
        } else {
            try await withScriptedServer([script]) { server in
                try await withHTTP2Front(to: server.port, tls: tls) { port in try await body(server, port) }
            }
        }
    }

    private func cancelCalls(by engine: Engine, toPort port: Int, overTLS: Bool) async throws {
        let producers = Watched(0)
        try await withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("upload")
            try Data(repeating: 66, count: 3_000_000).write(to: file)
            var random = SeededGenerator(seed: overTLS ? 1 : 2)
            for number in 0..<200 {
                let request = request(number, toPort: port, overTLS: overTLS, file: file, producers: producers)
                let call = Task {
                    try await engine.send(request) { response in try await response.body.collect(upTo: 1_000) }
                }
                await pass(microseconds: .random(in: 0..<4_000, using: &random))
                call.cancel()
                if case .failure(let error) = await call.result {
                    guard case NetworkError.cancelled = error else {
                        Issue.record("the call failed with \(error)")
                        continue
                    }
                }
            }
            // The shutdown would wait for anything that a call has left behind.
            try await withDeadline(.patience, "the shutdown") { await engine.shutdown(grace: .seconds(600)) }
            #expect(engine.connectionCount == 0)
            try await producers.wait("all producers to end") { $0 == 0 }
            #expect(try openDescriptors(of: file) == 0)
        }
    }

    private func request(
        _ number: Int,
        toPort port: Int,
        overTLS: Bool,
        file: URL,
        producers: Watched<Int>
    ) -> TransportRequest {
        let method: HTTPRequest.Method = number.isMultiple(of: 4) ? .get : .post
        let head = HTTPRequest(
            method: method,
            scheme: overTLS ? "https" : "http",
            authority: "127.0.0.1:\(port)",
            path: "/"
        )
        let body: RequestBody =
            switch number % 4 {
            case 0: .none
            case 1: .data(Data(repeating: 67, count: 100_000))
            case 2: .file(file)
            default: .stream(BodyStream(CountedChunks(count: 50, running: producers)))
            }
        return TransportRequest(head: head, body: body)
    }

    /// Yields to other tasks for a short random time.
    private func pass(microseconds: Int) async {
        let end = ContinuousClock.now + .microseconds(microseconds)
        while ContinuousClock.now < end { await Task.yield() }
    }

    /// Returns the number of open descriptors of a file. (Linux and macOS list all descriptors in `/dev/fd`.)
    private func openDescriptors(of file: URL) throws -> Int {
        var expected = stat()
        let status = stat(file.path, &expected)
        try #require(status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
        return names.count { name in
            var opened = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &opened) == 0 else { return false }
            return opened.st_dev == expected.st_dev && opened.st_ino == expected.st_ino
        }
    }
}

/// Chunks that count how many of their iterators exist.
private struct CountedChunks: AsyncSequence, Sendable {
    let count: Int
    let running: Watched<Int>

    final class AsyncIterator: AsyncIteratorProtocol {
        private var left: Int
        private let running: Watched<Int>

        init(_ chunks: CountedChunks) {
            left = chunks.count
            running = chunks.running
            running.update { $0 += 1 }
        }

        deinit {
            running.update { $0 -= 1 }
        }

        func next() async throws -> Data? {
            guard left > 0 else { return nil }
            left -= 1
            await Task.yield()
            return Data(repeating: 68, count: 5_000)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
