import Foundation
import Sallyport

/// The file format of a queue's entries: JSON that states its format and version.
enum QueueFormat {
    private struct Envelope: Codable {
        var format: String
        var version: Int
        var entry: QueueEntry
    }

    private static let name = "sallyport-transfer"
    private static let version = 1

    /// The maximum size of a file that is read, in bytes.
    static let maximumFileSize = 512 << 10

    /// The maximum size of the file of a transfer that has not ended, in bytes. It leaves space for the server's
    /// response.
    static let maximumTransferSize = 256 << 10

    /// The maximum number of bytes of a server's response that are stored.
    static let maximumResponseSize = 64 << 10

    /// The extension of the files.
    static let suffix = ".json"

    static func fileName(of identifier: String) -> String { identifier + suffix }

    /// Returns a Boolean value that indicates whether a text is a valid file name in every file system, and not a path.
    static func isIdentifier(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...100).contains(bytes.count) && bytes.first != UInt8(ascii: ".") && bytes.allSatisfy(isPlain)
    }

    static func data(_ entry: QueueEntry) throws(TransferError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(Envelope(format: name, version: version, entry: entry)) else {
            throw TransferError(.mismatch("the transfer \(entry.identifier) cannot be written as JSON"))
        }
        guard data.count <= (entry.end == nil ? maximumTransferSize : maximumFileSize) else {
            throw TransferError(
                .mismatch(
                    """
                    the transfer \(entry.identifier) takes \(data.count) bytes to store, more than the \
                    maximum of \(maximumTransferSize); split it into several
                    """
                )
            )
        }
        return data
    }

    /// - Returns: `nil` if the bytes are not an entry with this file name.
    static func entry(in data: Data, named fileName: String) -> QueueEntry? {
        entry(in: data).flatMap { Self.fileName(of: $0.identifier) == fileName ? $0 : nil }
    }

    /// - Returns: `nil` if the bytes are not an entry.
    static func entry(in data: Data) -> QueueEntry? {
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: data),
            envelope.format == name, envelope.version == version,
            isIdentifier(envelope.entry.identifier), isPlainKey(envelope.entry.key)
        else { return nil }
        return envelope.entry
    }

    /// Returns a Boolean value that indicates whether a key is safe to use in file names.
    private static func isPlainKey(_ key: String) -> Bool {
        (1...64).contains(key.utf8.count) && key.utf8.first != UInt8(ascii: ".") && key.utf8.allSatisfy(isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
