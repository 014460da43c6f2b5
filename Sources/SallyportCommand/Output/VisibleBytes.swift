import Foundation
import Sallyport

/// Text in UTF-8 that comes in pieces, with its control characters escaped for a terminal as ``VisibleText`` has it.
///
/// Bytes that are not UTF-8 become U+FFFD: in another encoding they may be control characters as well.
struct VisibleBytes: Sendable {
    /// The beginning of a character, or of a line end, whose rest is in the next piece.
    private var held = Data()

    /// Returns the next piece, escaped, as far as its characters are whole.
    mutating func escaped(_ piece: Data) -> Data {
        held += piece
        let whole = held.dropLast(Self.unfinished(held))
        defer { held = Data(held[whole.endIndex...]) }
        return Self.escaped(whole)
    }

    /// Returns what is left at the end of the text.
    mutating func end() -> Data {
        defer { held = Data() }
        return Self.escaped(held)
    }

    private static func escaped(_ data: Data) -> Data {
        Data(VisibleText.lines(String(decoding: data, as: UTF8.self)).utf8)
    }

    /// Returns the number of bytes at the end that are the beginning of a longer character or line end.
    private static func unfinished(_ data: Data) -> Int {
        if data.last == UInt8(ascii: "\r") { return 1 }
        for (following, byte) in data.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > following + 1 ? following + 1 : 0
        }
        return 0
    }
}
