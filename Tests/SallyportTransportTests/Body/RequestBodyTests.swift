import Foundation
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RequestBodyTests {
    private static let chunks = [Data("one".utf8), Data("two".utf8)]

    private func stream(length: Int64? = nil, isReplayable: Bool = true) -> RequestBody {
        let chunks = AsyncStream { continuation in
            for chunk in Self.chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        return .stream(BodyStream(chunks, length: length, isReplayable: isReplayable))
    }

    private func chunks(of body: RequestBody) async throws -> [Data] {
        let chunks = Locked<[Data]>([])
        try await body.forEachChunk { chunk in chunks.withLock { $0.append(chunk) } }
        return chunks.withLock { $0 }
    }

    @Test func `A body is read in chunks, whatever its kind`() async throws {
        #expect(try await chunks(of: .none).isEmpty)
        #expect(try await chunks(of: .data(Data())).isEmpty)
        #expect(try await chunks(of: .data(Self.chunks[0])) == [Self.chunks[0]])
        #expect(try await chunks(of: stream()) == Self.chunks)
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("file")
            let bytes = Data(Sample.noise(600_000))
            try bytes.write(to: file)
            let chunks = try await chunks(of: .file(file))
            #expect(chunks.count > 1)
            #expect(Data(chunks.joined()) == bytes)
        }
    }

    @Test func `A body is collected up to a limit`() async throws {
        #expect(try await RequestBody.none.collect(upTo: 0).isEmpty)
        #expect(try await stream(length: 6).collect(upTo: 6) == Data("onetwo".utf8))
        let error = await expectError(\NetworkError.kind, "invalidRequest") { try await stream().collect(upTo: 5) }
        #expect(error?.failure.reason.contains("longer than the 5 B") == true)
    }

    @Test(arguments: [5, 7])
    func `Collecting a stream that does not have its declared length is an error`(length: Int64) async throws {
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await stream(length: length).collect(upTo: 100)
        }
        #expect(error?.failure.reason == "the body has 6 bytes, not the declared \(length)")
    }

    @Test func `A file that cannot be read is an invalid request that names the file`() async throws {
        let error = await expectError(\NetworkError.kind, "invalidRequest") {
            try await RequestBody.file(URL(fileURLWithPath: "/nowhere/file")).collect(upTo: 100)
        }
        #expect(error?.failure.reason.contains("/nowhere/file") == true)
    }

    @Test func `A stream that cannot be repeated is read once`() async throws {
        let body = stream(isReplayable: false)
        #expect(try await body.collect(upTo: 100).count == 6)
        await expectError(\NetworkError.kind, "invalidRequest") { try await body.collect(upTo: 100) }
    }
}
