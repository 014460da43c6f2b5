/// Reads the DER elements (X.690) in a range of bytes in sequence.
struct DERReader {
    /// The tags of the elements that are read.
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case objectIdentifier = 0x06
        case sequence = 0x30
        case version = 0xA0
    }

    /// An element.
    struct Element {
        /// The tag, the length and the content.
        let bytes: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>

        /// A reader for the elements in the content.
        var contentReader: DERReader { DERReader(content) }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads the next element; `nil` if it has another tag or is incomplete.
    mutating func next(_ tag: Tag) -> Element? {
        guard rest.first == tag.rawValue, let length = rest.dropFirst().first else { return nil }
        let start: Int
        let count: Int
        if length < 0x80 {
            start = rest.startIndex + 2
            count = Int(length)
        } else {
            let digits = rest.dropFirst(2).prefix(Int(length & 0x7F))
            guard (1...3).contains(length & 0x7F), digits.count == Int(length & 0x7F) else { return nil }
            start = digits.endIndex
            count = digits.reduce(0) { $0 << 8 | Int($1) }
        }
        guard rest.endIndex - start >= count else { return nil }
        let element = Element(bytes: rest[rest.startIndex..<(start + count)], content: rest[start..<(start + count)])
        rest = rest[(start + count)...]
        return element
    }

    /// Skips the next element. Returns `false` if it has another tag or is incomplete.
    mutating func skip(_ tag: Tag) -> Bool { next(tag) != nil }
}
