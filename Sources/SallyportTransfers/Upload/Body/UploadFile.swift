import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// Opens files for an upload, and detects whether they have changed.
enum UploadFile {
    /// - Throws: ``TransferError`` if it is not a file, or cannot be read.
    static func version(of url: URL) throws(TransferError) -> FileVersion {
        do throws(SentFile.Problem) {
            return try SentFile.version(of: url)
        } catch {
            throw TransferError(.file(url, error.text))
        }
    }

    /// Opens a part of a file.
    ///
    /// - Parameter expected: The version of the file when the upload began.
    /// - Throws: ``TransferError`` if the file has been changed since.
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
        TransferError(.file(url, "was changed while it was sent; start the upload again"))
    }
}

/// Reads part of a file for the transport, and records the bytes as sent.
struct UploadReader: BodyReader {
    let url: URL
    let file: SentFile
    let sentBytes: SentBytes
    /// A Boolean value that indicates whether the part extends to the end of the body.
    let isLast: Bool

    /// - Throws: ``TransferError`` if the file has been changed; this is checked before its last bytes are returned.
    func read(into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool) throws -> Int? {
        // The end is returned only if blocking is allowed, because it is recorded in the journal first.
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
