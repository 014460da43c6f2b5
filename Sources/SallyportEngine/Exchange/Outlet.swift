import Foundation
import NIOCore
import SallyportTransport

/// Where a producer writes a body.
struct Outlet: Sendable {
    let outbox: Outbox
    let counter: ByteCounter

    /// Takes a chunk of any size, copying it as it is sent.
    func write(_ chunk: Data) async throws {
        try Task.checkCancellation()
        try counter.add(chunk.count)
        try await outbox.put(chunk)
    }

    /// Takes all that a reader gives. The connection reads it as it sends, but for what has to be waited for.
    func write(_ reader: any BodyReader) async throws {
        while true {
            try Task.checkCancellation()
            try await outbox.lend { bytes in try read(Outbox.pieceSize, of: reader, into: &bytes, mayWait: false) }
            let piece = try await onAnotherThread { () throws(any Error) in
                var piece = ByteBuffer()
                try read(Outbox.capacity, of: reader, into: &piece, mayWait: true)
                return piece
            }
            if piece.readableBytes == 0 { return }
            try await outbox.put(piece)
        }
    }

    private func read(_ size: Int, of reader: any BodyReader, into bytes: inout ByteBuffer, mayWait: Bool) throws {
        let count = try bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { memory in
            let piece = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(size))
            return try reader.read(into: piece, mayWait: mayWait) ?? 0
        }
        try counter.add(count)
    }
}
