import Foundation

/// Bytes that are read into the memory from which they are sent: a file's.
package protocol BodyReader: Sendable {
    /// Reads the next bytes.
    ///
    /// - Parameter mayWait: Whether it may wait for a disk.
    /// - Returns: How many were read, 0 at the end; `nil` if it would have to wait.
    func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws -> Int?
}

extension BodyReader {
    /// Gives the pieces in order, read on a thread that may wait, and waits for each to be taken.
    ///
    /// - Throws: What reading or `write` throws, or `CancellationError`.
    package func forEachPiece(_ write: (Data) async throws -> Void) async throws {
        let memory = Locked(Data(count: BodyStream.pieceSize))
        while true {
            try Task.checkCancellation()
            let piece = try await onAnotherThread { () throws(any Error) in try readPiece(memory) }
            if piece.isEmpty { return }
            try await write(piece)
        }
    }

    private func readPiece(_ memory: Locked<Data>) throws -> Data {
        try memory.withLock { memory in
            // Memory that the one who took it still holds is left to that one, and replaced by a copy.
            let count = try memory.withUnsafeMutableBytes { bytes in try read(into: bytes, mayWait: true) ?? 0 }
            return memory.prefix(count)
        }
    }
}
