/// Reads elements of DER (X.690) one after the other, and never beyond the bytes that it was given.
struct DERReader {
    /// The tags of the elements that certificates are looked through by.
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case objectIdentifier = 0x06
        case sequence = 0x30
        case version = 0xA0
    }

    /// One element: all its bytes, and those of its content.
    struct Element {
        let whole: ArraySlice<UInt8>
        let content: ArraySlice<UInt8>

        /// Reads what is inside.
        var inside: DERReader { DERReader(content) }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next element, if it has the tag that is expected; `nil` also when it is cut short.
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
        let element = Element(whole: rest[rest.startIndex..<(start + count)], content: rest[start..<(start + count)])
        rest = rest[(start + count)...]
        return element
    }

    /// Whether an element with the tag was next and has been passed.
    mutating func pass(_ tag: Tag) -> Bool { next(tag) != nil }
}
