/// Bytes to encode, which are the same in every run.
enum Sample {
    /// Lines of JSON.
    static func rows(_ count: Int) -> [UInt8] {
        let lines = (0..<count).map { row in
            "{\"id\":\(row),\"name\":\"user \(row % 97)\",\"score\":\(row * 7919 % 1000)}\n"
        }
        return Array(lines.joined().utf8)
    }

    /// Pseudorandom bytes.
    static func noise(_ count: Int) -> [UInt8] {
        var generator = LinearGenerator(seed: 1)
        return (0..<count).map { _ in generator.nextByte() }
    }

    static func zeros(_ count: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: count)
    }

    static func repeated(_ bytes: [UInt8], count: Int) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }
}
