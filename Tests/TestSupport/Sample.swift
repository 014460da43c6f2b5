/// Bytes to encode, which are the same in every run.
public enum Sample {
    /// Returns lines of JSON.
    public static func rows(_ count: Int) -> [UInt8] {
        let lines = (0..<count).map { row in
            "{\"id\":\(row),\"name\":\"user \(row % 97)\",\"score\":\(row * 7919 % 1000)}\n"
        }
        return Array(lines.joined().utf8)
    }

    /// Returns pseudorandom bytes.
    public static func noise(_ count: Int) -> [UInt8] {
        var generator = LinearGenerator(seed: 1)
        return (0..<count).map { _ in generator.nextByte() }
    }

    /// Returns zeros.
    public static func zeros(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: count)
    }

    /// Returns copies of bytes, one after the other.
    public static func repeated(_ bytes: [UInt8], count: Int) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }
}

/// A pseudorandom number generator of bytes, with the same output in every run.
public struct LinearGenerator: Sendable {
    private var state: UInt32

    /// Creates a generator.
    public init(seed: UInt32) {
        state = seed
    }

    /// Returns the next byte.
    public mutating func nextByte() -> UInt8 {
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(state >> 24)
    }

    /// Returns a number from zero up to, but not including, `bound`, which is at most 65536.
    public mutating func next(below bound: Int) -> Int {
        (Int(nextByte()) << 8 | Int(nextByte())) % bound
    }
}
