import Foundation
import SallyportTransfers
import TestSupport
import Testing

@testable import Sallyport
@testable import SallyportTransfers

@Suite(.concurrencyLimited) struct DownloadJournalTests {
    private let header = DownloadJournal.Header(
        url: "0a",
        validators: DownloadValidators(entityTag: "\"a\\\"\n\""),
        total: 7,
        blockSize: 65536,
        name: "a b.zip"
    )

    private var text: String {
        DownloadJournal.line(header) + DownloadJournal.line(.block(0, sum: .max))
            + DownloadJournal.line(.beginning(1, count: 5, sum: 3)) + DownloadJournal.line(.block(2, sum: 7))
    }

    @Test func `A journal is parsed as it was written`() {
        let journal = DownloadJournal(Data(text.utf8))
        #expect(journal?.header == header)
        #expect(
            journal?.records == [0: .block(0, sum: .max), 1: .beginning(1, count: 5, sum: 3), 2: .block(2, sum: 7)]
        )
    }

    @Test func `A journal of an earlier version is parsed, but its date is not used as a validator`() {
        let json =
            #"{"blockSize":65536,"total":7,"url":"0a","validators":{"lastModified":"Wed, 01 Jan 2025 00:00:00 GMT"}}"#
        let line = "sallyport-download-1 " + json
        let journal = DownloadJournal(Data("\(line) \(String(BlockSum.of(line.utf8), radix: 16))\n".utf8))
        #expect(journal?.header.validators.lastModified == "Wed, 01 Jan 2025 00:00:00 GMT")
        #expect(journal != nil && journal?.header.validators.ifRange == nil)
    }

    @Test func `The last record of a block applies`() {
        let journal = DownloadJournal(Data((text + DownloadJournal.line(.block(0, sum: 1))).utf8))
        #expect(journal?.records[0] == .block(0, sum: 1))
    }

    @Test func `A truncated journal contains only complete records`() {
        let all = DownloadJournal(Data(text.utf8))?.records
        for count in 0..<text.utf8.count {
            guard let journal = DownloadJournal(Data(text.utf8.prefix(count))) else {
                #expect(count < DownloadJournal.line(header).utf8.count)
                continue
            }
            for (block, record) in journal.records { #expect(all?[block] == record) }
        }
    }

    @Test func `A changed byte invalidates only its line`() {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x15
            guard let journal = DownloadJournal(Data(changed)) else { continue }
            #expect(journal.header == header)
            #expect(journal.records.count >= 1)
            for (block, record) in journal.records {
                #expect(record.block == block && text.contains(DownloadJournal.line(record)))
            }
        }
    }

    @Test(arguments: ["", "\n", "x", "sallyport-download-1 {}", "b 0 1"])
    func `Text that is not a journal is refused`(text: String) {
        #expect(DownloadJournal(Data(text.utf8)) == nil)
    }
}
