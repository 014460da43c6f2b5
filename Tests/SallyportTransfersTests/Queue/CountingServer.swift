import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import TestSupport

/// A server of files with ranges, and for uploads, which it recognizes by their `Idempotency-Key`.
///
/// It delays each chunk, and each response to an upload, so that clients can be killed meanwhile.
final class CountingServer: Sendable {
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPPart<HTTPResponseHead, IOData>>

    /// The number of chunks and responses that have been sent.
    let ticks = Watched(0)
    /// The bodies that were uploaded to each path, one for each key.
    let taken = Watched<[String: [Data]]>([:])
    /// The number of uploads that were received again.
    let known = Watched(0)
    /// The number of requests for a range.
    let ranges = Watched(0)
    private let keys = Watched<Set<String>>([])
    private let port = Watched(0)
    private static let chunk = 16_384

    /// Returns the URL of a file with a number of bytes.
    func file(_ number: Int, count: Int) -> String { "\(origin)/file/\(number)/\(count)" }

    /// Returns the URL for an upload.
    func place(_ number: Int) -> String { "\(origin)/upload/\(number)" }

    private var origin: String { "http://127.0.0.1:\(port.value)" }

    /// Returns the bytes of a file.
    static func bytes(_ number: Int, count: Int) -> Data {
        var generator = SeededGenerator(state: UInt64(number))
        var data = Data(capacity: count + 8)
        while data.count < count { withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0) } }
        return data.prefix(count)
    }

    /// Runs the server while a closure runs.
    func serve<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        port.update { $0 = listener.channel.localAddress?.port ?? 0 }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await listener.executeThenClose { connections in
                    try await withThrowingDiscardingTaskGroup { group in
                        for try await connection in connections {
                            // An interrupted response only ends its connection.
                            group.addTask { try? await self.answer(connection) }
                        }
                    }
                }
            }
            let result = try await body()
            group.cancelAll()
            return result
        }
    }

    private func answer(_ connection: Connection) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var head: HTTPRequestHead?
            var body = Data()
            for try await part in inbound {
                switch part {
                case .head(let next): (head, body) = (next, Data())
                case .body(let buffer): body += Data(buffer.readableBytesView)
                case .end:
                    guard let head else { return }
                    if head.method == .GET {
                        try await send(head, outbound)
                    } else {
                        try await take(head, body, outbound)
                    }
                }
            }
        }
    }

    private func send(
        _ head: HTTPRequestHead,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPPart<HTTPResponseHead, IOData>>
    ) async throws {
        let parts = head.uri.split(separator: "/").compactMap { Int($0) }
        let bytes = Self.bytes(parts[0], count: parts[1])
        let tag = "\"\(parts[0])-\(parts[1])\""
        var part = 0..<bytes.count
        var headers: HTTPHeaders = ["ETag": tag, "Accept-Ranges": "bytes"]
        if let range = head.headers.first(name: "Range"), head.headers.first(name: "If-Range") ?? tag == tag {
            let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            part = ends[0]..<min(ends.count > 1 ? ends[1] + 1 : bytes.count, bytes.count)
            headers.add(name: "Content-Range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)")
            ranges.update { $0 += 1 }
        }
        let status = headers.contains(name: "Content-Range") ? HTTPResponseStatus.partialContent : .ok
        headers.add(name: "Content-Length", value: "\(part.count)")
        try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
        for start in stride(from: part.lowerBound, to: part.upperBound, by: Self.chunk) {
            let chunk = bytes[start..<min(start + Self.chunk, part.upperBound)]
            try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: chunk))))
            ticks.update { $0 += 1 }
            try await Task.sleep(for: .milliseconds(1))
        }
        try await outbound.write(.end(nil))
    }

    private func take(
        _ head: HTTPRequestHead,
        _ body: Data,
        _ outbound: NIOAsyncChannelOutboundWriter<HTTPPart<HTTPResponseHead, IOData>>
    ) async throws {
        let key = head.headers.first(name: "Idempotency-Key") ?? UUID().uuidString
        let isNew = keys.update { $0.insert(key).inserted }
        if isNew {
            taken.update { $0[head.uri, default: []].append(body) }
        } else {
            known.update { $0 += 1 }
        }
        ticks.update { $0 += 1 }
        try await Task.sleep(for: .milliseconds(4))
        try await outbound.write(
            .head(HTTPResponseHead(version: .http1_1, status: .created, headers: ["Content-Length": "2"]))
        )
        try await outbound.write(.body(.byteBuffer(ByteBuffer(string: "ok"))))
        try await outbound.write(.end(nil))
        ticks.update { $0 += 1 }
    }
}
