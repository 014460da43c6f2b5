import Foundation

/// The incomplete file of a download with its journal, used by one transfer at a time.
///
/// The lock is on the partial file itself: the system releases it when the process ends, however that happens, and there
/// is no lock file to clean up.
final class PartialFile: Sendable {
    struct State {
        var header: DownloadJournal.Header?
        var blocks = DownloadBlocks(blockSize: 64 << 10, total: nil)
        var journalLength: Int64 = 0
    }

    let place: DownloadPlace
    let file: OpenedFile
    let journal: OpenedFile
    let state = Locked(State())

    private init(_ place: DownloadPlace, _ file: OpenedFile, _ journal: OpenedFile) {
        self.place = place
        self.file = file
        self.journal = journal
    }

    /// Opens and locks the partial file of a download.
    ///
    /// A partial file or journal that another user could have written is removed, see ``OpenedFile/guarded``: the bytes and
    /// the name of the finished file would be theirs. So is one with a second name, which may be a finished file.
    ///
    /// New files are created without write access for the group, even where the umask grants it; the finished file gets
    /// what the umask grants.
    ///
    /// - Parameters:
    ///   - creating: Whether to create the file if it does not exist.
    ///   - onRemoval: Called with the reason why a file was removed.
    /// - Returns: `nil` if there is none.
    /// - Throws: ``TransferError/Reason/inUse(_:)`` if another transfer uses it.
    static func open(
        _ place: DownloadPlace,
        creating: Bool,
        onRemoval: (String) -> Void = { _ in }
    ) throws(TransferError) -> PartialFile? {
        let file: OpenedFile
        do throws(FileProblem) {
            file = try OpenedFile.guarded(place.partialFile, creating: creating ? 0o644 : nil, onRemoval: onRemoval)
        } catch {
            if error.code == ENOENT, !creating { return nil }
            throw error.transferError(place.partialFile)
        }
        do throws(FileProblem) {
            let journal = try OpenedFile.guarded(
                place.journal,
                creating: 0o600,
                isLocked: false,
                onRemoval: onRemoval
            )
            return PartialFile(place, file, journal)
        } catch {
            throw error.transferError(place.journal)
        }
    }

    /// Unlocks the file for other transfers. It must not be used afterwards.
    func unlock() {
        file.unlock()
    }

    // MARK: What is there

    /// What is known of the file on the server; `nil` before anything has been fetched.
    var header: DownloadJournal.Header? { state.withLock { $0.header } }

    /// How many bytes are there.
    var completedBytes: Int64 { state.withLock { $0.header == nil ? 0 : $0.blocks.completedBytes } }

    /// How many bytes the whole has, once that is known.
    var total: Int64? { state.withLock { $0.header == nil ? nil : $0.blocks.total } }

    /// Whether all is there.
    var isWhole: Bool { state.withLock { $0.header != nil && $0.blocks.isWhole } }

    /// The first byte that is missing, and the next one after it that is not.
    func firstHole() -> (start: Int64, end: Int64?) {
        state.withLock { $0.blocks.firstHole() }
    }

    /// How many bytes its file has, whatever they are.
    var fileLength: Int64 { file.length }

    /// Whether it can still be found under its name.
    var isInPlace: Bool { file.isAt(place.partialFile) }

    // MARK: What comes

    /// Forgets what is there, and begins with another file, or another version of it.
    func begin(_ header: DownloadJournal.Header) throws(TransferError) {
        do throws(FileProblem) {
            // In this order, so that no journal ever speaks of bytes of another version.
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
            throw error.transferError(place.partialFile)
        }
    }

    /// Forgets what is there.
    func reset() throws(TransferError) {
        do throws(FileProblem) {
            try journal.setLength(0)
            try file.setLength(0)
            state.withLock { state in state = State() }
        } catch {
            throw error.transferError(place.partialFile)
        }
    }

    /// Takes note of how long the whole is.
    func setTotal(_ total: Int64) { state.withLock { $0.blocks.total = total } }

    /// Gives the block at a position to one who fetches it; see ``DownloadBlocks/claim(at:reserved:)``.
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

    /// Reserves a stretch for one of several who fetch; see ``DownloadBlocks/reserve(connections:)``.
    func reserve(connections: Int) -> (blocks: Range<Int>, start: Int64, end: Int64)? {
        state.withLock { state in
            state.blocks.reserve(connections: connections).map { blocks in
                let last = blocks.upperBound - 1
                let end = state.blocks.start(of: last) + state.blocks.length(of: last)
                return (blocks, state.blocks.firstMissing(of: blocks.lowerBound), end)
            }
        }
    }

    /// Gives back what is not fetched after all.
    func release(_ reserved: Range<Int>) { state.withLock { $0.blocks.release(reserved) } }

    func start(of block: Int) -> Int64 { state.withLock { $0.blocks.start(of: block) } }

    var blockSize: Int64 { state.withLock { $0.blocks.blockSize } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileProblem) {
        try file.write(bytes, at: offset)
    }

    /// Takes note of whole blocks, which have been written.
    func complete(_ sums: [(block: Int, sum: UInt64)]) throws(FileProblem) {
        if sums.isEmpty { return }
        try record(sums.map { DownloadJournal.line(.block($0.block, sum: $0.sum)) }.joined()) { blocks in
            for (block, sum) in sums { blocks.complete(block, sum: sum) }
        }
    }

    /// Takes note of the beginning of a block, which has been written, and which nobody goes on with for now.
    func begin(_ block: Int, _ beginning: DownloadBlocks.Beginning) throws(FileProblem) {
        let record = DownloadJournal.Record.beginning(block, count: beginning.count, sum: beginning.sum.value)
        try self.record(beginning.count > 0 ? DownloadJournal.line(record) : "") { $0.begin(block, beginning) }
    }

    /// Writes down the beginning of a block that goes on.
    func note(_ block: Int, _ beginning: DownloadBlocks.Beginning) throws(FileProblem) {
        let record = DownloadJournal.Record.beginning(block, count: beginning.count, sum: beginning.sum.value)
        try self.record(DownloadJournal.line(record)) { _ in }
    }

    private func record(_ lines: String, _ change: (inout DownloadBlocks) -> Void) throws(FileProblem) {
        try state.withLock { state throws(FileProblem) in
            change(&state.blocks)
            try journal.write(lines, at: state.journalLength)
            state.journalLength += Int64(lines.utf8.count)
        }
    }
}
