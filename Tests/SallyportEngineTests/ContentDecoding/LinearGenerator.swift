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
