import Foundation
import SallyportTransport

extension PartialFile {
    /// The longest journal that is read: that of a file of terabytes.
    private static let longestJournal: Int64 = 64 << 20

    /// Loads the bytes that an earlier transfer left, as far as the journal describes them and the block sums match.
    ///
    /// - Parameter objection: Returns the reason why these bytes cannot be used; `nil` if they can.
    /// - Returns: The reason why nothing was loaded; `nil` if something was.
    func load(
        unless objection: (DownloadJournal.Header) -> String?
    ) async throws(TransferError) -> String? {
        do throws(FileProblem) {
            let (found, length) = try await onAnotherThread { [self] () throws(FileProblem) in try readJournal() }
            guard let found else { return "the journal of what is kept is \(length == 0 ? "missing" : "harmed")" }
            if let objection = objection(found.header) { return objection }
            let blocks = try await onAnotherThread { [self] isCancelled throws(FileProblem) in
                try verified(found, isCancelled)
            }
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

    /// - Returns: What the journal says, `nil` if it cannot be read, and its length.
    private func readJournal() throws(FileProblem) -> (DownloadJournal?, length: Int64) {
        var text = Data(count: Int(min(journal.length, Self.longestJournal)))
        let count = try text.withBytes { bytes throws(FileProblem) in try journal.read(into: bytes, at: 0) }
        return (DownloadJournal(text.prefix(count)), Int64(count))
    }

    /// Returns the blocks whose bytes have the sums that the journal states.
    private func verified(
        _ found: DownloadJournal,
        _ isCancelled: () -> Bool
    ) throws(FileProblem) -> DownloadBlocks {
        var blocks = DownloadBlocks(blockSize: found.header.blockSize, total: found.header.total)
        var buffer = Data(count: Int(found.header.blockSize))
        for record in found.records.values.sorted(by: { $0.block < $1.block }) {
            if isCancelled() { throw FileProblem(code: ECANCELED, attempt: "") }
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
        }
        return blocks
    }
}
