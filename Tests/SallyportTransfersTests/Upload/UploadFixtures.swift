import Crypto
import Foundation
import Sallyport
import SallyportStorage
import SallyportTransfers
import TestSupport

@testable import SallyportGateway

/// Deterministic bytes for uploads.
enum TestBytes {
    static func data(_ count: Int, seed: UInt64 = 1) -> Data {
        Data(PseudoRandomBytes(seed: seed).buffer(0..<count).readableBytesView)
    }

    /// A sequence that can be iterated only once.
    static func chunks(of data: Data, _ size: Int) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: data.count, by: size) {
                continuation.yield(data[start..<min(start + size, data.count)])
            }
            continuation.finish()
        }
    }
}

/// A sequence that yields the same chunks each time.
struct ReplayedChunks: AsyncSequence, Sendable {
    let bytes: Data
    let size: Int

    func makeAsyncIterator() -> AsyncStream<Data>.Iterator {
        TestBytes.chunks(of: bytes, size).makeAsyncIterator()
    }
}

/// A sequence that yields the same chunks each time, but waits for a signal at a position.
struct GatedChunks: AsyncSequence, Sendable {
    let bytes: Data
    let size: Int
    let closedAt: Int
    let gate: Signal

    func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    struct Iterator: AsyncIteratorProtocol {
        let chunks: GatedChunks
        var position = 0

        mutating func next() async throws -> Data? {
            if position >= chunks.bytes.count { return nil }
            if position >= chunks.closedAt { try await chunks.gate.wait() }
            defer { position += chunks.size }
            return chunks.bytes[position..<Swift.min(position + chunks.size, chunks.bytes.count)]
        }
    }
}

/// A sequence that yields other chunks after the first time.
struct EitherChunks: AsyncSequence, Sendable {
    let first: GatedChunks
    let others: ReplayedChunks
    private let isFirst = Locked(true)

    init(first: GatedChunks, others: ReplayedChunks) {
        self.first = first
        self.others = others
    }

    func makeAsyncIterator() -> Iterator {
        let isFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        return Iterator(
            first: isFirst ? first.makeAsyncIterator() : nil,
            others: others.makeAsyncIterator()
        )
    }

    struct Iterator: AsyncIteratorProtocol {
        var first: GatedChunks.Iterator?
        var others: AsyncStream<Data>.Iterator

        mutating func next() async throws -> Data? {
            if first != nil { return try await first?.next() }
            return await others.next()
        }
    }
}

/// The gateway's response to an upload.
struct UploadAnswer: Codable, Equatable {
    var length: Int
    var sha256: String

    init(of data: Data) {
        length = data.count
        sha256 = SHA256.hash(data: data).hexadecimal
    }

    init(of body: RequestBody) async throws {
        switch body {
        case .none: self.init(of: Data())
        case .data(let data): self.init(of: data)
        case .file(let url): self.init(of: try Data(contentsOf: url))
        case .stream(let stream):
            let bytes = Locked(Data())
            try await stream.forEachChunk { chunk in bytes.withLock { $0 += chunk } }
            self.init(of: bytes.withLock { $0 })
        }
    }
}

extension UploadOptions {
    /// A retry policy without delays.
    static var quick: UploadOptions {
        var options = UploadOptions()
        options.retry = .constant(attempts: 5, delay: .zero)
        return options
    }
}

/// Returns the error that an upload ends with; `nil` if it succeeds.
func uploadError(
    _ url: String,
    _ body: RequestBody,
    _ options: UploadOptions = .quick
) async -> TransferError? {
    let transfer = HttpClient.createClient().upload(options: options) { request in
        request.url = url
        request.body = body
    }
    guard case .failure(let error) = await transfer.result else { return nil }
    return error
}
