/// A random number generator that always returns the same sequence for a seed (SplitMix64), so that a failure can be repeated.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next number of the sequence.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension String {
    /// Returns the text with a few bytes changed, removed, inserted or moved.
    ///
    /// - Parameters:
    ///   - bytes: The values of changed and inserted bytes.
    ///   - random: The generator.
    public func mutated(with bytes: ClosedRange<UInt8>, using random: inout SeededGenerator) -> String {
        var mutated = Array(utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !mutated.isEmpty {
            let index = Int.random(in: 0..<mutated.count, using: &random)
            switch Int.random(in: 0...4, using: &random) {
            case 0: mutated[index] = UInt8.random(in: bytes, using: &random)
            case 1: mutated.remove(at: index)
            case 2: mutated.insert(UInt8.random(in: bytes, using: &random), at: index)
            case 3: mutated.removeLast(mutated.count - index)
            default: mutated.swapAt(index, Int.random(in: 0..<mutated.count, using: &random))
            }
        }
        return String(decoding: mutated, as: UTF8.self)
    }
}
