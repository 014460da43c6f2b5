import Foundation
import SallyportTransport

/// A file that is uploaded.
enum UploadFile {
    /// - Throws: ``TransferError`` when it is not a file, or cannot be read.
    static func version(of url: URL) throws(TransferError) -> FileVersion {
        do throws(SentFile.Problem) {
            return try SentFile.version(of: url)
        } catch {
            throw TransferError(.file(url, error.text))
        }
    }

    /// Opens a stretch of it.
    ///
    /// - Parameter expected: What the file was when the upload began.
    /// - Throws: ``TransferError`` when the file has been changed.
    static func open(
        _ url: URL,
        as expected: FileVersion?,
        from offset: Int64,
        limit: Int64
    ) async throws -> SentFile {
        do {
            let file = try await SentFile.open(url, from: offset, limit: limit)
            guard file.version == expected else { throw changed(url) }
            return file
        } catch let problem as SentFile.Problem {
            throw error(problem, of: url)
        }
    }

    static func error(_ problem: SentFile.Problem, of url: URL) -> any Error {
        problem.isChange ? changed(url) : problem.networkError(url)
    }

    private static func changed(_ url: URL) -> TransferError {
        TransferError(.file(url, "was changed while it was sent; start it again"))
    }
}

/// A stretch of a file on its way to a server, of which the sentBytes takes note.
struct UploadReader: BodyReader {
    let url: URL
    let file: SentFile
    let sentBytes: SentBytes
    /// Whether it goes to the body's end.
    let isLast: Bool

    /// - Throws: ``TransferError`` when the file has been changed: before its last bytes are given.
    func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws -> Int? {
        // The end is offered where one may wait: it is written down first.
        if file.left <= bytes.count, !mayWait { return nil }
        do {
            guard let count = try file.read(into: bytes, mayWait: mayWait) else { return nil }
            sentBytes.offer(count, isLast: isLast && file.left == 0)
            sentBytes.add(count)
            return count
        } catch {
            throw UploadFile.error(error, of: url)
        }
    }
}
