import Foundation

/// A file that is not whole yet, with its journal, held by one transfer at a time.
///
/// The lock is on the partial file itself, so that the system gives it back when the process ends, in whatever way, and
/// no file of its own is left.
final class PartialFile: Sendable {
    private struct State {
        var header: DownloadJournal.Header?
        var blocks = DownloadBlocks(blockSize: 64 << 10, total: nil)
        var journalLength: Int64 = 0
    }

    let place: DownloadPlace
    private let file: OpenedFile
    private let journal: OpenedFile
    private let state = Locked(State())

    /// The longest journal that is read: that of a file of terabytes.
    private static let longestJournal: Int64 = 64 << 20

    private init(_ place: DownloadPlace, _ file: OpenedFile, _ journal: OpenedFile) {
        self.place = place
        self.file = file
        self.journal = journal
    }

    /// Opens the partial file of a download, and locks it.
    ///
    /// - Parameter creating: Whether to make one where there is none.
    /// - Returns: `nil` if there is none.
    /// - Throws: ``TransferError/Reason/inUse(_:)`` if another transfer has it.
    static func open(_ place: DownloadPlace, creating: Bool) throws(TransferError) -> PartialFile? {
        do throws(FileProblem) {
            while true {
                let file = try OpenedFile(place.partialFile, flags: creating ? O_CREAT : 0)
                try file.lock()
                // One who finished may have taken the name away before the lock was given back.
                guard file.isAt(place.partialFile) else { continue }
                return PartialFile(place, file, try OpenedFile(place.journal, flags: O_CREAT, mode: 0o600))
            }
        } catch {
            if error.code == ENOENT, !creating { return nil }
            throw error.transferError(place.partialFile)
        }
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

    /// Takes up what an earlier transfer left, as far as the journal knows it and it is unharmed.
    ///
    /// - Parameter isWanted: Whether it is of the right file.
    func load(if isWanted: (DownloadJournal.Header) -> Bool) async throws(TransferError) {
        let length = min(journal.length, Self.longestJournal)
        var text = Data(count: Int(length))
        do throws(FileProblem) {
            let count = try text.withBytes { bytes throws(FileProblem) in try journal.read(into: bytes, at: 0) }
            guard let found = DownloadJournal(text.prefix(count)), isWanted(found.header) else { return }
            let blocks = try await verified(found)
            state.withLock { state in
                state.header = found.header
                state.blocks = blocks
                state.journalLength = length
            }
        } catch {
            throw error.transferError(place.partialFile)
        }
    }

    /// The blocks whose bytes have the sums that the journal tells.
    private func verified(_ found: DownloadJournal) async throws(FileProblem) -> DownloadBlocks {
        var blocks = DownloadBlocks(blockSize: found.header.blockSize, total: found.header.total)
        var buffer = Data(count: Int(found.header.blockSize))
        for record in found.records.values.sorted(by: { $0.block < $1.block }) {
            let wanted =
                switch record {
                case .block(let block, _): blocks.count.map { block < $0 } ?? true ? blocks.length(of: block) : 0
                case .beginning(_, let count, _): count <= found.header.blockSize ? count : 0
                }
            if wanted == 0 { continue }
            let start = blocks.start(of: record.block)
            let sum = try buffer.withBytes { bytes throws(FileProblem) -> BlockSum? in
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
                blocks.begin(block, DownloadBlocks.Beginning(count: count, sum: sum))
            default: break
            }
            await Task.yield()
        }
        return blocks
    }

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

    /// Gives a block to one who fetches it; see ``DownloadBlocks/claim(_:)``.
    func claim(_ block: Int, reserved: Range<Int>) -> (DownloadBlocks.Beginning, length: Int64)? {
        state.withLock { state in
            state.blocks.claim(block, reserved: reserved).map { ($0, state.blocks.length(of: block)) }
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

    private func record(_ lines: String, _ change: (inout DownloadBlocks) -> Void) throws(FileProblem) {
        try state.withLock { state throws(FileProblem) in
            change(&state.blocks)
            try journal.write(lines, at: state.journalLength)
            state.journalLength += Int64(lines.utf8.count)
        }
    }

    // MARK: Its end

    /// The digests of the whole file as it is on the disk.
    func digests(
        _ algorithms: Set<ContentDigest.Algorithm>
    ) async throws(TransferError) -> [ContentDigest] {
        var computation = DigestComputation(algorithms)
        var buffer = Data(count: 1 << 20)
        var offset: Int64 = 0
        do throws(FileProblem) {
            while true {
                if Task.isCancelled { throw FileProblem(code: ECANCELED, attempt: "") }
                let count = try buffer.withBytes { bytes throws(FileProblem) -> Int in
                    let count = try file.read(into: bytes, at: offset)
                    computation.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                    return count
                }
                if count == 0 { break }
                offset += Int64(count)
                await Task.yield()
            }
        } catch {
            if error.code == ECANCELED { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
            throw error.transferError(place.partialFile)
        }
        return algorithms.compactMap { computation.digest($0) }
    }

    /// Gives the whole file its name.
    ///
    /// - Returns: Where it is.
    func finish(as name: String, if existing: DownloadOptions.ExistingFile) async throws(TransferError) -> URL {
        do throws(FileProblem) {
            try file.setLength(total ?? file.length)
            try await onAnotherThread { [file] () throws(FileProblem) in try file.synchronize() }
        } catch {
            throw error.transferError(place.partialFile)
        }
        let contents = journalText()
        // The journal goes first: one that is left beside a finished file would be found by nobody.
        unlink(place.journal.path)
        for number in 1... {
            let url = place.folder.appendingPathComponent(DownloadPlace.numbered(name, number))
            do throws(FileProblem) {
                try FilePlacing.move(place.partialFile, to: url, replacing: existing == .replace)
                FilePlacing.synchronizeFolder(of: url)
                return url
            } catch {
                if error.code == EEXIST, existing == .number, number < 10_000 { continue }
                try? restoreJournal(contents)
                throw error.code == EEXIST ? TransferError(.fileExists(url)) : error.transferError(url)
            }
        }
        throw TransferError(.fileExists(place.folder.appendingPathComponent(name)))
    }

    /// Removes it, with its journal.
    func remove() {
        unlink(place.journal.path)
        if isInPlace { unlink(place.partialFile.path) }
    }

    private func journalText() -> String {
        state.withLock { state in
            guard let header = state.header else { return "" }
            let sums = state.blocks.sums.sorted { $0.key < $1.key }
            return DownloadJournal.line(header)
                + sums.map { DownloadJournal.line(.block($0.key, sum: $0.value)) }.joined()
        }
    }

    private func restoreJournal(_ text: String) throws(FileProblem) {
        try OpenedFile(place.journal, flags: O_CREAT | O_TRUNC, mode: 0o600).write(text, at: 0)
    }
}

extension OpenedFile {
    fileprivate func write(_ text: String, at offset: Int64) throws(FileProblem) {
        var text = text
        let result: Result<Void, FileProblem> = text.withUTF8 { bytes in
            Result { () throws(FileProblem) in try write(UnsafeRawBufferPointer(bytes), at: offset) }
        }
        try result.get()
    }
}

extension Data {
    fileprivate mutating func withBytes<Value>(
        _ body: (UnsafeMutableRawBufferPointer) throws(FileProblem) -> Value
    ) throws(FileProblem) -> Value {
        let result: Result<Value, FileProblem> = withUnsafeMutableBytes { bytes in
            Result { () throws(FileProblem) in try body(bytes) }
        }
        return try result.get()
    }
}

/// Lets a call that waits for the disk wait on a thread that no task needs.
func onAnotherThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(returning: Result { () throws(Failure) in try work() })
        }
    }
    return try result.get()
}
