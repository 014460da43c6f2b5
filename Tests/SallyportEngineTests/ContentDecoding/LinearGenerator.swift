/// A pseudorandom number generator with the same output in every run.
struct LinearGenerator {
    private var state: UInt32

    init(seed: UInt32) {
        state = seed
    }

    mutating func nextByte() -> UInt8 {
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(state >> 24)
    }

    /// Returns a number from zero up to, but not including, `bound`, which is at most 65536.
    mutating func next(below bound: Int) -> Int {
        (Int(nextByte()) << 8 | Int(nextByte())) % bound
    }
}
