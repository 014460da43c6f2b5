import Foundation
import SallyportTransport

/// A stretch of a file on its way to a server, of which the tally takes note.
struct UploadReader: BodyReader {
    let url: URL
    let file: SentFile
    let tally: UploadTally
    /// Whether it goes to the body's end.
    let isLast: Bool

    /// - Throws: ``TransferError`` when the file has been changed: before its last bytes are given.
    func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws -> Int? {
        // The end is offered where one may wait: it is written down first.
        if file.left <= bytes.count, !mayWait { return nil }
        do {
            guard let count = try file.read(into: bytes, mayWait: mayWait) else { return nil }
            tally.offer(count, isLast: isLast && file.left == 0)
            tally.add(count)
            return count
        } catch {
            throw UploadFile.error(error, of: url)
        }
    }
}
