import Foundation
import Sallyport

/// The journal of a partial file. It identifies the file on the server, and states which bytes are present.
///
/// It is a text file with one record per line. Each line ends with a checksum of its own, and lines are only appended;
/// a line that a crash has truncated is ignored. The records are not trusted: each block is read, and its checksum
/// compared.
struct DownloadJournal: Sendable, Equatable {
    /// The properties of one version of the file on the server.
    struct Header: Sendable, Equatable, Codable {
        /// A digest of the URL, which itself may contain secrets.
        var url: String
        var validators: DownloadValidators
        var total: Int64?
        var blockSize: Int64
        /// The name that the server's response determined.
        var name: String?
        /// The digests of the complete file that the server stated, in the format of `Repr-Digest`.
        var digests: String?
    }

    /// A record of bytes that are present.
    enum Record: Sendable, Equatable {
        case block(Int, sum: UInt64)
        case beginning(Int, count: Int64, sum: UInt64)
    }

    var header: Header
    /// The last record of each block.
    var records: [Int: Record] = [:]

    private static let mark = "sallyport-download-1 "

    /// - Returns: `nil` if there is no valid header.
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

    /// Returns the first line of a journal.
    static func line(_ header: Header) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(header)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return line(mark + json)
    }

    /// Returns the line of a record.
    static func line(_ record: Record) -> String {
        switch record {
        case .block(let block, let sum): line("b \(block) \(String(sum, radix: 16))")
        case .beginning(let block, let count, let sum): line("p \(block) \(count) \(String(sum, radix: 16))")
        }
    }

    private static func line(_ text: String) -> String { "\(text) \(String(BlockSum.of(text.utf8), radix: 16))\n" }

    /// Returns a line without its checksum; `nil` if the checksum does not match.
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
