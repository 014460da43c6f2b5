import ClientTestSupport
import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers
import TestSupport
import Testing

@testable import SallyportGateway

/// Uploads that are interrupted and continue, with two servers: the gateway and SwiftNIO's own.
@Suite(.concurrencyLimited) struct UploadResumptionTests {
    static let length = 1_500_000

    enum Server: String, CaseIterable, Sendable {
        case gateway, swiftNIO
    }

    @Test(
        arguments: Server.allCases,
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    )
    func `Each byte arrives once, regardless of the number and position of interruptions`(server: Server, seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let bytes = TestBytes.data(Self.length, seed: seed)
        let cuts = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            // At least the request's head arrives, so that the server announces the upload resource (see the next test), and all
            // attempts together send less than the body: a server may forget a complete upload whose response was lost.
            Cut(sent: Int.random(in: 2_000...200_000, using: &random))
        }
        try await upload(.data(bytes), to: server, cuts) { outcome, proxy in
            let response = try outcome.get()
            #expect(try response.decode(UploadAnswer.self) == UploadAnswer(of: bytes))
            #expect(proxy.connectionCount >= 2)
        }
    }

    @Test(
        arguments: Server.allCases,
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    )
    func `An upload interrupted before the server offers resumption is repeated only if it is idempotent`(
        server: Server,
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let bytes = TestBytes.data(Self.length, seed: seed)
        // Within the head, or after it.
        let most = seed.isMultiple(of: 2) ? 150 : 600_000
        let cut = Cut(sent: Int.random(in: 1...most, using: &random), received: 0)
        try await upload(.data(bytes), to: server, [cut]) { outcome, proxy in
            guard case .failure(let error) = outcome, case .network = error.reason else {
                Issue.record("it did not fail as a call does: \(outcome)")
                return
            }
            #expect(proxy.connectionCount == 1)
        }
        try await upload(.data(bytes), to: server, [cut, cut], idempotencyKey: "\"k\"") { outcome, proxy in
            let response = try outcome.get()
            #expect(try response.decode(UploadAnswer.self) == UploadAnswer(of: bytes))
            #expect(proxy.connectionCount == 3)
        }
    }

    @Test(arguments: Server.allCases)
    func `A file, a form and a replayable stream are resumed`(server: Server) async throws {
        try await withTemporaryDirectory { directory in
            let bytes = TestBytes.data(Self.length)
            let file = directory.appendingPathComponent("file.bin")
            try bytes.write(to: file)
            var form = MultipartForm()
            form.append(name: "a", file: file)
            let cuts = [Cut(sent: 300_000), Cut(sent: 400_000)]
            let stream = BodyStream(ReplayedChunks(bytes: bytes, size: 10_007), isReplayable: true)
            for body in [.file(file), try form.body(), .stream(stream)] {
                let expected = try await UploadAnswer(of: body)
                try await upload(body, to: server, cuts) { outcome, proxy in
                    let response = try outcome.get()
                    #expect(try response.decode(UploadAnswer.self) == expected)
                    #expect(proxy.connectionCount >= 3)
                    #expect(proxy.sentCount < Self.length + 600_000)
                }
            }
        }
    }

    @Test(arguments: Server.allCases)
    func `A paused upload resumes with the missing bytes`(server: Server) async throws {
        let bytes = TestBytes.data(4_000_000)
        let (gate, heard) = (Signal(), Signal())
        let chunks = GatedChunks(bytes: bytes, size: 100_000, closedAt: 2_000_000, gate: gate)
        let stream = BodyStream(chunks, length: 4_000_000, isReplayable: true)
        try await withServer(server) { proxy in
            let transfer = HttpClient.createClient().upload(options: .quick) { request in
                request.url = "http://127.0.0.1:\(proxy.port)/uploads"
                request.body = .stream(stream)
                request.onInformational = { _ in heard.fire() }
            }
            try await heard.wait()
            try await proxy.waitForSent(2_000_000)
            transfer.pause()
            for await progress in transfer.progress where progress.state == .paused { break }
            gate.fire()
            transfer.resume()
            let response = try await transfer.value
            #expect(try response.decode(UploadAnswer.self) == UploadAnswer(of: bytes))
            // Bytes that the server had not read by then are lost, but the upload did not start over.
            #expect(response.request.getMethod() == .patch)
        }
    }

    @Test func `The parts of an upload respect the server's size limit`() async throws {
        let bytes = TestBytes.data(1_000_000)
        for body in [
            RequestBody.data(bytes),
            .stream(BodyStream(ReplayedChunks(bytes: bytes, size: 9999), isReplayable: true)),
        ] {
            try await upload(body, to: .gateway, [Cut(sent: 150_000)], path: "/uploads?part=100000") { outcome, proxy in
                let response = try outcome.get()
                #expect(try response.decode(UploadAnswer.self) == UploadAnswer(of: bytes))
            }
        }
    }

    @Test func `A complete upload whose response was lost is not sent again`() async throws {
        let bytes = TestBytes.data(200_000)
        // Only the 104 response passes.
        try await upload(.data(bytes), to: .gateway, [Cut(received: 350)]) { outcome, proxy in
            let response = try outcome.get()
            #expect(response.getHeader(name: "Upload-Complete") == "?1")
            #expect(response.getHeader(name: "Upload-Offset") == "200000")
            #expect(proxy.connectionCount == 2)
            #expect(proxy.sentCount < 202_000)
        }
    }

    @Test func `An upload that the server forgets after a lost response is not repeated`() async throws {
        let bytes = TestBytes.data(200_000)
        try await withCuttingProxy([Cut(received: 220)]) { proxy in
            try await withNIOUploadServer(origin: "http://127.0.0.1:\(proxy.port)") { port, finished in
                proxy.lead(toPort: port)
                let error = await uploadError("http://127.0.0.1:\(proxy.port)/", .data(bytes))
                #expect(error?.description.contains("may have been processed") == true, "\(String(describing: error))")
                #expect(finished.withLock { $0 } == [UploadAnswer(of: bytes)])
            }
        }
    }

    @Test func `Progress never decreases and ends with the total size`() async throws {
        let bytes = TestBytes.data(Self.length)
        let cuts = [Cut(sent: 700_000), Cut(sent: 100_000), Cut(sent: 300_000)]
        try await withServer(.gateway, cuts) { proxy in
            let transfer = HttpClient.createClient().upload(options: .quick) { request in
                request.url = "http://127.0.0.1:\(proxy.port)/uploads"
                request.body = .data(bytes)
            }
            var last: Int64 = 0
            for await progress in transfer.progress {
                #expect(progress.completedBytes >= last)
                last = progress.completedBytes
            }
            #expect(last == Int64(Self.length))
            _ = try await transfer.value
        }
    }

    @Test func `Cancelling an upload deletes it at the server`() async throws {
        let gate = Signal()
        let chunks = GatedChunks(bytes: TestBytes.data(300_000), size: 100_000, closedAt: 200_000, gate: gate)
        try await withServer(.gateway) { proxy in
            let location = Locked<String?>(nil)
            let client = HttpClient.createClient()
            let transfer = client.upload(options: .quick) { request in
                request.url = "http://127.0.0.1:\(proxy.port)/uploads"
                request.body = .stream(BodyStream(chunks, length: 300_000, isReplayable: true))
                request.onInformational = { response in location.withLock { $0 = response.headerFields[.location] } }
            }
            let isSent = try await eventually { transfer.currentProgress.completedBytes == 200_000 ? true : nil }
            try #require(isSent == true)
            let path = try await #require(eventually { location.withLock { $0 } })
            transfer.cancel()
            guard case .failure(let error) = await transfer.result else {
                Issue.record("it was not cancelled")
                return
            }
            #expect(error.isCancellation)
            let response = try await client.request { $0.url = "http://127.0.0.1:\(proxy.port)\(path)" }
            #expect(response.status == .notFound)
        }
    }

    // MARK: Helpers

    private func upload(
        _ body: RequestBody,
        to server: Server,
        _ cuts: [Cut],
        path: String = "/uploads",
        idempotencyKey: String? = nil,
        _ check: @Sendable (Result<HttpResponse, TransferError>, CuttingProxy) throws -> Void
    ) async throws {
        try await withServer(server, cuts) { proxy in
            var options = UploadOptions.quick
            options.retry.attempts = 20
            let transfer = HttpClient.createClient().upload(options: options) { request in
                request.url = "http://127.0.0.1:\(proxy.port)\(path)"
                request.body = body
                if let idempotencyKey { request.setHeader(name: "Idempotency-Key", value: idempotencyKey) }
            }
            try check(await transfer.result, proxy)
        }
    }

    private func withServer(
        _ server: Server,
        _ cuts: [Cut] = [],
        _ body: (CuttingProxy) async throws -> Void
    ) async throws {
        try await withCuttingProxy(cuts) { proxy in
            switch server {
            case .gateway:
                try await Gateway.withRunning { address in
                    proxy.lead(toPort: address.port)
                    try await body(proxy)
                }
            case .swiftNIO:
                try await withNIOUploadServer(origin: "http://127.0.0.1:\(proxy.port)") { port, _ in
                    proxy.lead(toPort: port)
                    try await body(proxy)
                }
            }
        }
    }
}
