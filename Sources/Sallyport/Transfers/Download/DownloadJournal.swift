import Foundation

/// What a partial file's journal says: of which file on which server the bytes are, and which of them are there.
///
/// It is text, a line for each fact, each line with a sum of its own. It only ever grows; a line that a crash has cut
/// is passed over. That the bytes are there is not believed: each block is read, and its sum compared.
struct DownloadJournal: Sendable, Equatable {
    /// What does not change while the file on the server stays the same.
    struct Header: Sendable, Equatable, Codable {
        /// A digest of the URL, which may itself hold secrets.
        var url: String
        var validators: DownloadValidators
        var total: Int64?
        var blockSize: Int64
        /// The name that the server has given it.
        var name: String?
        /// The digests that the server has told of the whole file, as in `Repr-Digest`.
        var digests: String?
    }

    /// Something that is there.
    enum Record: Sendable, Equatable {
        case block(Int, sum: UInt64)
        case beginning(Int, count: Int64, sum: UInt64)
    }

    var header: Header
    /// The last record of each block.
    var records: [Int: Record] = [:]

    private static let mark = "sallyport-download-1 "

    /// - Returns: `nil` if it has no header that is whole.
    init?(_ text: Data) {
        var lines = text.split(separator: UInt8(ascii: "\n")).makeIterator()
        guard let first = lines.next().flatMap(Self.checked), first.hasPrefix(Self.mark),
            let header = try? JSONDecoder().decode(Header.self, from: Data(first.dropFirst(Self.mark.count).utf8)),
            (4096...(4 << 20)).contains(header.blockSize), header.total ?? 0 >= 0
        else { return nil }
        self.header = header
        while let line = lines.next() {
            guard let record = Self.checked(line).flatMap(Self.record) else { continue }
            records[record.block] = record
        }
    }

    /// The line that a journal begins with.
    static func line(_ header: Header) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(header)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return line(mark + json)
    }

    /// The line of a record.
    static func line(_ record: Record) -> String {
        switch record {
        case .block(let block, let sum): line("b \(block) \(String(sum, radix: 16))")
        case .beginning(let block, let count, let sum): line("p \(block) \(count) \(String(sum, radix: 16))")
        }
    }

    private static func line(_ text: String) -> String { "\(text) \(String(BlockSum.of(text.utf8), radix: 16))\n" }

    /// A line without its sum; `nil` if that is not the right one.
    private static func checked(_ line: Data) -> String? {
        guard let space = line.lastIndex(of: UInt8(ascii: " ")) else { return nil }
        let text = line[..<space]
        guard UInt64(String(decoding: line[line.index(after: space)...], as: UTF8.self), radix: 16) == BlockSum.of(text)
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    private static func record(_ text: String) -> Record? {
        let parts = text.split(separator: " ")
        guard parts.count > 1, let block = Int(parts[1]), block >= 0, block < 1 << 40 else { return nil }
        switch (parts[0], parts.count) {
        case ("b", 3): return UInt64(parts[2], radix: 16).map { .block(block, sum: $0) }
        case ("p", 4):
            guard let count = Int64(parts[2]), count > 0, let sum = UInt64(parts[3], radix: 16) else { return nil }
            return .beginning(block, count: count, sum: sum)
        default: return nil
        }
    }
}

extension DownloadJournal.Record {
    var block: Int {
        switch self {
        case .block(let block, _), .beginning(let block, _, _): block
        }
    }
}
