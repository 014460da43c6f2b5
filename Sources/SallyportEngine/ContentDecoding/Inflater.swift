import SallyportTransport

/// Decompresses a deflate stream (RFC 1951), block by block, from input that may be split anywhere.
struct Inflater: Sendable {
    /// The reason why `inflate` returned.
    enum Progress {
        /// All input has been read. Call again with more.
        case needsInput
        /// The window is full. Take the pending bytes and call again.
        case windowFull
        /// The stream is complete. The bytes that follow it have not been read.
        case finished
    }

    private enum State {
        case blockHeader
        case storedLength
        case stored(remaining: Int)
        case dynamicCodes(HuffmanCodesReader)
        case symbols(HuffmanCodes)
        case finished
    }

    private var state = State.blockHeader
    private var isLastBlock = false

    mutating func inflate(
        from reader: inout BitReader,
        into window: inout SlidingWindow
    ) throws(ContentDecodingError) -> Progress {
        while true {
            switch state {
            case .blockHeader:
                guard let header = reader.read(3) else { return .needsInput }
                isLastBlock = header & 1 == 1
                try beginBlock(ofType: header >> 1)

            case .storedLength:
                reader.alignToByte()
                guard let lengths = reader.read(32) else { return .needsInput }
                guard lengths & 0xFFFF == ~lengths >> 16 else {
                    throw .malformed(reason: "the length of a stored block does not match its complement")
                }
                state = .stored(remaining: Int(lengths & 0xFFFF))

            case .stored(let remaining):
                let copied = window.append(remaining, from: &reader)
                state = .stored(remaining: remaining - copied)
                if copied == remaining {
                    endBlock()
                } else {
                    return window.isFull ? .windowFull : .needsInput
                }

            case .dynamicCodes(var codesReader):
                let codes = try codesReader.read(from: &reader)
                state = codes.map { .symbols($0) } ?? .dynamicCodes(codesReader)
                if codes == nil {
                    return .needsInput
                }

            case .symbols(let codes):
                switch try codes.decode(from: &reader, into: &window) {
                case .needsInput: return .needsInput
                case .windowFull: return .windowFull
                case .finished: endBlock()
                }

            case .finished:
                return .finished
            }
        }
    }

    private mutating func beginBlock(ofType type: UInt32) throws(ContentDecodingError) {
        switch type {
        case 0: state = .storedLength
        case 1: state = .symbols(.fixed)
        case 2: state = .dynamicCodes(HuffmanCodesReader())
        default: throw .malformed(reason: "a block has the reserved type 3")
        }
    }

    private mutating func endBlock() {
        state = isLastBlock ? .finished : .blockHeader
    }
}
