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
    /// The next bytes, read on a thread that may wait; `nil` at the end.
    ///
    /// - Throws: What reading throws, or `CancellationError`.
    package func next() async throws -> Data? {
        try Task.checkCancellation()
        return try await onAnotherThread { () throws(any Error) in try readPiece() }
    }

    private func readPiece() throws -> Data? {
        var piece = Data(count: BodyStream.pieceSize)
        let count = try piece.withUnsafeMutableBytes { bytes in try read(into: bytes, mayWait: true) ?? 0 }
        return count > 0 ? piece.prefix(count) : nil
    }
}
