import SallyportTransport

/// A content coding for tests: each byte is XORed with a key, and a zero byte ends the body.
struct MaskDecoder: BodyDecoder {
    let key: UInt8
    private var isComplete = false

    init(key: UInt8) {
        self.key = key
    }

    mutating func decode(
        _ input: inout ArraySlice<UInt8>,
        upTo limit: Int
    ) throws(ContentDecodingError) -> [UInt8] {
        let taken = input.prefix(limit)
        input = input.dropFirst(limit)
        guard !isComplete || taken.isEmpty else { throw .malformed(reason: "other bytes follow its end") }
        let body = taken.prefix { $0 != 0 }
        isComplete = isComplete || body.count < taken.count
        guard taken.count <= body.count + 1 else { throw .malformed(reason: "other bytes follow its end") }
        return body.map { $0 ^ key }
    }

    mutating func finish() throws(ContentDecodingError) {
        guard isComplete else { throw .truncated }
    }
}

extension ContentCoding {
    static let mask = ContentCoding(name: "X-Mask") { MaskDecoder(key: 0xFF) }
    static let veil = ContentCoding(name: "x-veil") { MaskDecoder(key: 0xF0) }
}

extension [UInt8] {
    /// Returns the body in the coding of `MaskDecoder`. The body must not contain the key.
    func masked(key: UInt8) -> [UInt8] {
        map { $0 ^ key } + [0]
    }
}
