import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

/// The partial file of a download with its journal, used by one transfer at a time.
///
/// The lock is on the partial file itself: the system releases it when the process ends, however that happens, and
/// there is no lock file to clean up.
final class PartialFile: Sendable {
    /// The maximum size of a journal that is read, enough for files of several terabytes.
    private static let maximumJournalSize: Int64 = 64 << 20

    private struct State {
        var header: DownloadJournal.Header?
        var blocks = DownloadBlocks(blockSize: 64 << 10, total: nil)
        var journalLength: Int64 = 0
    }

    let paths: DownloadPaths
    private let file: OpenedFile
    private let journal: OpenedFile
    private let state = Locked(State())

    private init(_ paths: DownloadPaths, _ file: OpenedFile, _ journal: OpenedFile) {
        self.paths = paths
        self.file = file
        self.journal = journal
    }

    /// Opens and locks the partial file of a download.
    ///
    /// A partial file or journal that another user could have written is removed, because that user would determine the
    /// bytes and the name of the finished file; see ``OpenedFile/guarded``. A file with a second hard link is removed
    /// too, as it may be a finished file.
    ///
    /// New files are created without write access for the group, even if the umask allows it; the finished file gets
    /// the permissions of the file that it replaces, or else those that the umask allows.
    ///
    /// - Parameters:
    ///   - creating: If `true`, the file is created if it does not exist.
    ///   - onRemoval: Called with the reason why a file was removed.
    /// - Returns: `nil` if the file does not exist.
    /// - Throws: ``TransferError/Reason/inUse(_:)`` if another transfer uses it.
    static func open(
        _ paths: DownloadPaths,
        creating: Bool,
        onRemoval: (String) -> Void = { _ in }
    ) throws(TransferError) -> PartialFile? {
        let file: OpenedFile
        do throws(FileSystemError) {
            file = try OpenedFile.guarded(paths.partialFile, creating: creating ? 0o644 : nil, onRemoval: onRemoval)
        } catch {
            if error.code == ENOENT, !creating { return nil }
            throw error.transferError(paths.partialFile)
        }
        do throws(FileSystemError) {
            let journal = try OpenedFile.guarded(
                paths.journal,
                creating: 0o600,
                isLocked: false,
                onRemoval: onRemoval
            )
            return PartialFile(paths, file, journal)
        } catch {
            throw error.transferError(paths.journal)
        }
    }

    /// Unlocks the file for other transfers. It must not be used afterwards.
    func unlock() {
        file.unlock()
    }

    // MARK: Contents

    /// The header of the journal; `nil` until something has been fetched.
    var header: DownloadJournal.Header? { state.withLock { $0.header } }

    /// The number of bytes that are present.
    var completedBytes: Int64 { state.withLock { $0.header == nil ? 0 : $0.blocks.completedBytes } }

    /// The length of the complete file; `nil` until it is known.
    var total: Int64? { state.withLock { $0.header == nil ? nil : $0.blocks.total } }

    /// A Boolean value that indicates whether the file is complete.
    var isComplete: Bool { state.withLock { $0.header != nil && $0.blocks.isComplete } }

    /// Returns the first byte that is missing, and the next byte after it that is present.
    func firstGap() -> (start: Int64, end: Int64?) {
        state.withLock { $0.blocks.firstGap() }
    }

    /// The length of the partial file, regardless of its contents.
    var fileLength: Int64 { file.length }

    /// A Boolean value that indicates whether the path still refers to this file.
    var isAtPath: Bool { file.isAt(paths.partialFile) }

    // MARK: Writing

    /// Discards the contents, and prepares for another file or version.
    func begin(_ header: DownloadJournal.Header) throws(TransferError) {
        do throws(FileSystemError) {
            // The journal is truncated first, so that it never describes bytes of another version.
            try journal.setLength(0)
            try file.setLength(0)
            let line = DownloadJournal.line(header)
            try journal.write(line, at: 0)
            state.withLock { state in
                state.header = header
                state.blocks = DownloadBlocks(blockSize: header.blockSize, total: header.total)
                state.journalLength = Int64(line.utf8.count)
            }
        } catch {
            throw error.transferError(paths.partialFile)
        }
    }

    /// Discards the contents.
    func reset() throws(TransferError) {
        do throws(FileSystemError) {
            try journal.setLength(0)
            try file.setLength(0)
            state.withLock { state in state = State() }
        } catch {
            throw error.transferError(paths.partialFile)
        }
    }

    /// Denies access to those who have no access to the file that this one will replace.
    func restrictAccess(replacing name: String) {
        guard let permissions = DownloadPaths.permissions(of: paths.folder.appendingPathComponent(name)) else { return }
        // Failures are ignored, as some file systems have no permissions.
        try? file.setPermissions(file.permissions & permissions | 0o600)
    }

    /// Sets the length of the complete file.
    func setTotal(_ total: Int64) { state.withLock { $0.blocks.total = total } }

    /// Claims the block at a position; see ``DownloadBlocks/claim(at:reserved:)``.
    func claim(
        at position: Int64,
        reserved: Range<Int>
    ) -> (block: Int, beginning: DownloadBlocks.Beginning, length: Int64)? {
        state.withLock { state in
            state.blocks.claim(at: position, reserved: reserved).map { claim in
                (claim.block, claim.beginning, state.blocks.length(of: claim.block))
            }
        }
    }

    /// Reserves blocks for one of several parallel requests; see ``DownloadBlocks/reserve(connections:)``.
    func reserve(connections: Int) -> (blocks: Range<Int>, start: Int64, end: Int64)? {
        state.withLock { state in
            state.blocks.reserve(connections: connections).map { blocks in
                let last = blocks.upperBound - 1
                let end = state.blocks.start(of: last) + state.blocks.length(of: last)
                return (blocks, state.blocks.firstMissing(of: blocks.lowerBound), end)
            }
        }
    }

    /// Releases blocks that were reserved.
    func release(_ reserved: Range<Int>) { state.withLock { $0.blocks.release(reserved) } }

    func start(of block: Int) -> Int64 { state.withLock { $0.blocks.start(of: block) } }

    var blockSize: Int64 { state.withLock { $0.blocks.blockSize } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileSystemError) {
        try file.write(bytes, at: offset)
    }

    /// Records complete blocks, which have been written.
    func complete(_ sums: [(block: Int, sum: UInt64)]) throws(FileSystemError) {
        if sums.isEmpty { return }
        try append(sums.map { DownloadJournal.line(.block($0.block, sum: $0.sum)) }.joined()) { blocks in
            for (block, sum) in sums { blocks.complete(block, sum: sum) }
        }
    }

    /// Records the beginning of a block, which has been written.
    ///
    /// - Parameter releases: If `true`, releases the block, so that another writer can continue it.
    func recordBeginning(
        _ beginning: DownloadBlocks.Beginning,
        of block: Int,
        releases: Bool
    ) throws(FileSystemError) {
        let record = DownloadJournal.Record.beginning(block, count: beginning.count, sum: beginning.sum.value)
        try append(beginning.count > 0 ? DownloadJournal.line(record) : "") { blocks in
            if releases { blocks.recordBeginning(beginning, of: block) }
        }
    }

    /// Changes the blocks, and appends lines to the journal.
    private func append(_ lines: String, _ change: (inout DownloadBlocks) -> Void) throws(FileSystemError) {
        try state.withLock { state throws(FileSystemError) in
            change(&state.blocks)
            try journal.write(lines, at: state.journalLength)
            state.journalLength += Int64(lines.utf8.count)
        }
    }

    // MARK: Loading

    /// Loads the bytes that an earlier transfer left, as far as the journal describes them and the checksums match.
    ///
    /// - Parameter rejection: Returns the reason why the bytes with this header cannot be used; `nil` if they can.
    /// - Returns: The reason why nothing was loaded; `nil` if the bytes were loaded.
    func load(
        unless rejection: (DownloadJournal.Header) -> String?
    ) async throws(TransferError) -> String? {
        do throws(FileSystemError) {
            let (found, length) = try await runBlocking { [self] () throws(FileSystemError) in try readJournal() }
            guard let found else { return "the journal of the partial file is \(length == 0 ? "missing" : "damaged")" }
            if let reason = rejection(found.header) { return reason }
            let blocks = try await runBlocking { [self] isCancelled throws(FileSystemError) in
                try verifiedBlocks(found, isCancelled)
            }
            state.withLock { state in
                state.header = found.header
                state.blocks = blocks
                state.journalLength = length
            }
            return nil
        } catch {
            if error.code == ECANCELED { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
            throw error.transferError(paths.partialFile)
        }
    }

    /// - Returns: The journal, `nil` if it cannot be parsed; and its length in bytes.
    private func readJournal() throws(FileSystemError) -> (DownloadJournal?, length: Int64) {
        var text = Data(count: Int(min(journal.length, Self.maximumJournalSize)))
        let count = try text.withBytes { bytes throws(FileSystemError) in try journal.read(into: bytes, at: 0) }
        return (DownloadJournal(text.prefix(count)), Int64(count))
    }

    /// Returns the blocks that match their checksums in the journal.
    private func verifiedBlocks(
        _ found: DownloadJournal,
        _ isCancelled: () -> Bool
    ) throws(FileSystemError) -> DownloadBlocks {
        var blocks = DownloadBlocks(blockSize: found.header.blockSize, total: found.header.total)
        var buffer = Data(count: Int(found.header.blockSize))
        for record in found.records.values.sorted(by: { $0.block < $1.block }) {
            if isCancelled() { throw FileSystemError(code: ECANCELED, attempt: "") }
            let wanted =
                switch record {
                case .block(let block, _): blocks.length(of: block)
                case .beginning(let block, let count, _): count < blocks.length(of: block) ? count : 0
                }
            if wanted == 0 { continue }
            let start = blocks.start(of: record.block)
            let sum = try buffer.withBytes { bytes throws(FileSystemError) -> BlockSum? in
                let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<Int(wanted)])
                guard try file.read(into: part, at: start) == part.count else { return nil }
                var sum = BlockSum()
                sum.update(UnsafeRawBufferPointer(part))
                return sum
            }
            switch record {
            case .block(let block, let expected) where sum?.value == expected: blocks.complete(block, sum: expected)
            case .beginning(let block, let count, let expected):
                guard let sum, sum.value == expected else { break }
                blocks.recordBeginning(DownloadBlocks.Beginning(count: count, sum: sum), of: block)
            default: break
            }
        }
        return blocks
    }

    // MARK: Finishing

    /// Computes digests by reading the file from the disk.
    func digests(
        _ algorithms: Set<ContentDigest.Algorithm>
    ) async throws(TransferError) -> [ContentDigest] {
        do throws(FileSystemError) {
            return try await runBlocking { [file] isCancelled throws(FileSystemError) in
                var computation = DigestComputation(algorithms)
                var buffer = Data(count: 1 << 20)
                var offset: Int64 = 0
                while true {
                    if isCancelled() { throw FileSystemError(code: ECANCELED, attempt: "") }
                    let count = try buffer.withBytes { bytes throws(FileSystemError) -> Int in
                        let count = try file.read(into: bytes, at: offset)
                        computation.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                        return count
                    }
                    if count == 0 { break }
                    offset += Int64(count)
                }
                return algorithms.compactMap { computation.digest($0) }
            }
        } catch {
            if error.code == ECANCELED { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
            throw error.transferError(paths.partialFile)
        }
    }

    /// Renames the complete file.
    ///
    /// - Returns: The finished file.
    func finish(as name: String, if existing: DownloadOptions.ExistingFile) async throws(TransferError) -> URL {
        try await runBlocking { [self] () throws(TransferError) in try finishNow(as: name, if: existing) }
    }

    private func finishNow(as name: String, if existing: DownloadOptions.ExistingFile) throws(TransferError) -> URL {
        do throws(FileSystemError) {
            try file.setLength(total ?? file.length)
            try file.synchronize()
        } catch {
            throw error.transferError(paths.partialFile)
        }
        guard isAtPath else {
            let problem = "it was removed or replaced by another file; start the download again"
            throw TransferError(.file(paths.partialFile, problem))
        }
        let replaced = existing == .replace ? paths.folder.appendingPathComponent(name) : nil
        if let replaced { try DownloadPaths.checkKind(of: replaced) }
        let replacedPermissions = replaced.flatMap { DownloadPaths.permissions(of: $0) }
        let contents = journalText()
        // The journal is removed first, because a journal beside a finished file would never be removed. The file is
        // renamed at once: if the process were killed before, the bytes would be lost.
        unlink(paths.journal.path)
        for number in 1... {
            let url = paths.folder.appendingPathComponent(DownloadPaths.numbered(name, number))
            do throws(FileSystemError) {
                try FileSystem.move(paths.partialFile, to: url, replacing: existing == .replace)
                setPermissions(replacedPermissions)
                // Not every file system can synchronize folders; the file itself is on the disk.
                try? FileSystem.synchronizeDirectory(paths.folder)
                return url
            } catch {
                if error.code == EEXIST, existing == .number, number < 10_000 { continue }
                try? restoreJournal(contents)
                throw error.code == EEXIST ? TransferError(.fileExists(url)) : error.transferError(url)
            }
        }
        throw TransferError(.fileExists(paths.folder.appendingPathComponent(name)))
    }

    /// Sets the permissions of the file that was replaced, or else those that the file would have if it had been created under
    /// its final name.
    private func setPermissions(_ replaced: mode_t?) {
        // Failures are ignored, as some file systems have no permissions.
        guard let permissions = replaced ?? (try? OpenedFile.defaultPermissions(in: paths.folder)),
            permissions != file.permissions
        else { return }
        try? file.setPermissions(permissions)
    }

    /// Removes the file and its journal, unless the path refers to another file.
    func remove() {
        guard isAtPath else { return }
        unlink(paths.journal.path)
        unlink(paths.partialFile.path)
    }

    private func journalText() -> String {
        state.withLock { state in
            guard let header = state.header else { return "" }
            let sums = state.blocks.sums.sorted { $0.key < $1.key }
            return DownloadJournal.line(header)
                + sums.map { DownloadJournal.line(.block($0.key, sum: $0.value)) }.joined()
        }
    }

    private func restoreJournal(_ text: String) throws(FileSystemError) {
        try OpenedFile(paths.journal, flags: O_CREAT | O_EXCL, mode: 0o600).write(text, at: 0)
    }
}
