import Foundation

extension PartialFile {
    /// The longest journal that is read: that of a file of terabytes.
    private static let longestJournal: Int64 = 64 << 20

    /// Takes up what an earlier transfer left, as far as the journal knows it and it is unharmed.
    ///
    /// - Parameter objection: Why what is there is of no use, if that is so.
    /// - Returns: Why nothing was taken up; `nil` if it was.
    func load(
        unless objection: (DownloadJournal.Header) -> String?
    ) async throws(TransferError) -> String? {
        let length = min(journal.length, Self.longestJournal)
        var text = Data(count: Int(length))
        do throws(FileProblem) {
            let count = try text.withBytes { bytes throws(FileProblem) in try journal.read(into: bytes, at: 0) }
            guard let found = DownloadJournal(text.prefix(count)) else {
                return "the journal of what is kept is \(count == 0 ? "missing" : "harmed")"
            }
            if let objection = objection(found.header) { return objection }
            let blocks = try await verified(found)
            state.withLock { state in
                state.header = found.header
                state.blocks = blocks
                state.journalLength = length
            }
            return nil
        } catch {
            if error.code == ECANCELED { throw TransferError(.network(.cancelled("the transfer was cancelled"))) }
            throw error.transferError(place.partialFile)
        }
    }

    /// The blocks whose bytes have the sums that the journal tells.
    private func verified(_ found: DownloadJournal) async throws(FileProblem) -> DownloadBlocks {
        var blocks = DownloadBlocks(blockSize: found.header.blockSize, total: found.header.total)
        var buffer = Data(count: Int(found.header.blockSize))
        for record in found.records.values.sorted(by: { $0.block < $1.block }) {
            if Task.isCancelled { throw FileProblem(code: ECANCELED, attempt: "") }
            let wanted =
                switch record {
                case .block(let block, _): blocks.length(of: block)
                case .beginning(let block, let count, _): count < blocks.length(of: block) ? count : 0
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
}
