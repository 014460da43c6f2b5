import Foundation
import Sallyport
import SallyportStorage

/// Writes one response body into a partial file, block by block.
struct PartialWriter {
    private let partial: PartialFile
    private let blockSize: Int64
    private var reserved: Range<Int>

    /// The position of the next byte.
    private(set) var position: Int64

    private var current: (block: Int, beginning: DownloadBlocks.Beginning, length: Int64)?

    /// The position and time at which the beginning of the current block was last recorded.
    private var recorded: (position: Int64, time: ContinuousClock.Instant)

    /// - Parameters:
    ///   - position: The position of the first byte: the start of a block, or the first byte of a block that is
    ///     missing.
    ///   - reserved: The blocks that are reserved for this writer.
    init(_ partial: PartialFile, at position: Int64, reserved: Range<Int> = 0..<0) {
        self.partial = partial
        self.position = position
        self.reserved = reserved
        blockSize = partial.blockSize
        recorded = (position, .now)
    }

    /// Writes bytes.
    ///
    /// - Returns: `false` if some were not written, because they belong to a block that is complete or that another
    ///   writer has claimed.
    mutating func write(_ data: Data) throws(TransferError) -> Bool {
        let result: Result<Bool, FileSystemError> = data.withUnsafeBytes { bytes in
            Result { () throws(FileSystemError) in try write(bytes) }
        }
        do throws(FileSystemError) {
            return try result.get()
        } catch {
            throw error.transferError(partial.paths.partialFile)
        }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FileSystemError) -> Bool {
        let (accepted, sums) = accept(bytes)
        do throws(FileSystemError) {
            try partial.write(UnsafeRawBufferPointer(rebasing: bytes[..<accepted]), at: position)
            position += Int64(accepted)
            try partial.complete(sums)
            try recordBeginning()
        } catch {
            if let current {
                try? partial.recordBeginning(DownloadBlocks.Beginning(), of: current.block, releases: true)
            }
            current = nil
            throw error
        }
        return accepted == bytes.count
    }

    /// Records the beginning of the current block after each eighth of a block, so that a crash loses little even on a
    /// slow connection.
    private mutating func recordBeginning() throws(FileSystemError) {
        guard let current, position - max(recorded.position, partial.start(of: current.block)) >= blockSize / 8 else {
            return
        }
        let now = ContinuousClock.now
        guard now - recorded.time >= .milliseconds(1) else { return }
        recorded = (position, now)
        try partial.recordBeginning(current.beginning, of: current.block, releases: false)
    }

    /// Adds bytes that are about to be written to the checksums of their blocks.
    private mutating func accept(_ bytes: UnsafeRawBufferPointer) -> (Int, [(block: Int, sum: UInt64)]) {
        var sums: [(block: Int, sum: UInt64)] = []
        var accepted = 0
        while accepted < bytes.count {
            guard
                let (block, start, length) = current
                    ?? partial.claim(at: position + Int64(accepted), reserved: reserved)
            else { break }
            var beginning = start
            let taken = min(Int(length - beginning.count), bytes.count - accepted)
            beginning.sum.update(UnsafeRawBufferPointer(rebasing: bytes[accepted..<(accepted + taken)]))
            beginning.count += Int64(taken)
            accepted += taken
            if beginning.count == length {
                sums.append((block, beginning.sum.value))
                current = nil
            } else {
                current = (block, beginning, length)
            }
        }
        return (accepted, sums)
    }

    /// Claims the block at the position before bytes arrive, so that ``end(isEndOfFile:)`` handles its beginning even
    /// if none do.
    mutating func resume() {
        current = partial.claim(at: position, reserved: reserved)
    }

    /// Records the bytes that were written last, so that another writer can continue from there. Further calls have no
    /// effect.
    ///
    /// - Parameter isEndOfFile: If `true`, the position is the end of the file.
    mutating func end(isEndOfFile: Bool) throws(TransferError) {
        defer {
            current = nil
            partial.release(reserved)
            reserved = 0..<0
        }
        do throws(FileSystemError) {
            if isEndOfFile { partial.setTotal(position) }
            guard let (block, beginning, _) = current else { return }
            if isEndOfFile, beginning.count > 0 {
                try partial.complete([(block, beginning.sum.value)])
            } else {
                try partial.recordBeginning(beginning, of: block, releases: true)
            }
        } catch {
            throw error.transferError(partial.paths.partialFile)
        }
    }
}
