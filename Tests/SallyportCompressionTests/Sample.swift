#if Compression && os(Linux)

/// Bytes to encode, the same in every run.
enum Sample {
    static let text = Array(
        "The sally port is the guarded door of a fortress: the one way out, controlled on both sides.\n".utf8
    )

    /// Lines of JSON.
    static func rows(_ count: Int) -> [UInt8] {
        let lines = (0..<count).map { row in
            "{\"id\":\(row),\"name\":\"user \(row % 97)\",\"score\":\(row * 7919 % 1000)}\n"
        }
        return Array(lines.joined().utf8)
    }

    /// Bytes in no order.
    static func noise(_ count: Int) -> [UInt8] {
        var generator = LinearGenerator(seed: 1)
        return (0..<count).map { _ in generator.nextByte() }
    }

    static func repeated(_ bytes: [UInt8], count: Int) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }

    /// A zstd frame of zeros in blocks of 128 KiB, of which each takes four bytes (RFC 8878, section 3.1.1).
    static func zstandardZeros(blocks: Int) -> [UInt8] {
        let window: UInt8 = 0x38
        var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, window]
        for number in 1...blocks {
            let header = (128 << 10) << 3 | 1 << 1 | (number == blocks ? 1 : 0)
            frame += [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16), 0]
        }
        return frame
    }
}

/// Numbers that look random and are the same in every run.
struct LinearGenerator {
    private var state: UInt32

    init(seed: UInt32) {
        state = seed
    }

    mutating func nextByte() -> UInt8 {
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(state >> 24)
    }

    /// A number from zero to `bound`, which is at most 65536 and not reached.
    mutating func next(below bound: Int) -> Int {
        (Int(nextByte()) << 8 | Int(nextByte())) % bound
    }
}

#endif
