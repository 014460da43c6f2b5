import Foundation

/// A file that is uploaded.
enum UploadFile {
    /// - Throws: ``TransferError`` when it is not a file, or cannot be read.
    static func version(of url: URL) throws(TransferError) -> FileVersion {
        guard let state = FileState(url, followingLinks: true) else { throw TransferError(.file(url, lastProblem)) }
        guard state.isFile else { throw TransferError(.file(url, "is not a file")) }
        guard access(url.path, R_OK) == 0 else { throw TransferError(.file(url, lastProblem)) }
        return state.version
    }

    /// Gives the pieces of a stretch in order, waiting for each to be taken.
    ///
    /// - Parameter expected: What the file was when the upload began.
    /// - Throws: ``TransferError`` when the file has been changed: before its last bytes are given.
    static func forEachPiece(
        of url: URL,
        as expected: FileVersion?,
        from offset: Int64,
        limit: Int64,
        write: @Sendable (Data) async throws -> Void
    ) async throws {
        do {
            let file = try await SentFile.open(url, from: offset, limit: limit)
            guard file.version == expected else { throw changed(url) }
            while let piece = try await file.next() { try await write(piece) }
        } catch let problem as SentFile.Problem {
            throw problem.isChange ? changed(url) : problem.networkError(url)
        }
    }

    private static func changed(_ url: URL) -> TransferError {
        TransferError(.file(url, "was changed while it was sent; start it again"))
    }

    private static var lastProblem: String { String(cString: strerror(errno)) }
}
