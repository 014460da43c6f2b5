import Foundation
import SallyportStorage

/// A type that reads the bytes of a body, for example from a file, into a buffer.
package protocol BodyReader: Sendable {
    /// Reads the next bytes.
    ///
    /// - Parameter mayWait: A Boolean value that indicates whether the call may block for disk I/O.
    /// - Returns: The number of bytes, which is 0 at the end; `nil` if the call would block.
    func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws -> Int?
}

extension BodyReader {
    /// Reads the bytes off the cooperative pool, and passes them to `write` in order, one piece at a time.
    ///
    /// - Throws: The error that reading or `write` throws, or `CancellationError`.
    package func forEachPiece(_ write: (Data) async throws -> Void) async throws {
        let memory = Locked(Data(count: BodyStream.pieceSize))
        while true {
            try Task.checkCancellation()
            let piece = try await runBlocking { () throws(any Error) in try readPiece(memory) }
            if piece.isEmpty { return }
            try await write(piece)
        }
    }

    private func readPiece(_ memory: Locked<Data>) throws -> Data {
        try memory.withLock { memory in
            // If the consumer still holds the previous piece, copy-on-write allocates a new buffer.
            let count = try memory.withUnsafeMutableBytes { bytes in try read(into: bytes, mayWait: true) ?? 0 }
            return memory.prefix(count)
        }
    }
}
