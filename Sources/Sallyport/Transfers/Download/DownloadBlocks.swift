/// Which bytes of a file are there: whole blocks with their sums, and beginnings of blocks.
///
/// Pure: it reads and writes nothing.
struct DownloadBlocks: Sendable {
    /// The beginning of a block.
    struct Beginning: Sendable {
        var count: Int64 = 0
        var sum = BlockSum()
    }

    /// However long the server says that the file is, no more blocks than that are reserved at a time.
    private static let longestStretch = 1024

    /// How many bytes a block has, but for the last one.
    let blockSize: Int64

    /// How many bytes the whole has, once that is known. What cannot be of a file of that length is forgotten.
    var total: Int64? {
        didSet {
            guard let total, total != oldValue else { return }
            sums = sums.filter { length(of: $0.key) == blockSize }
            beginnings = beginnings.filter { $0.value.count < length(of: $0.key) }
            firstOpen = 0
        }
    }

    /// The sums of the whole blocks.
    private(set) var sums: [Int: UInt64] = [:]

    /// The blocks of which some is there.
    private(set) var beginnings: [Int: Beginning] = [:]

    /// The blocks that somebody is fetching.
    private var claims: Set<Int> = []

    /// No block before this one is missing.
    private var firstOpen = 0

    init(blockSize: Int64, total: Int64?) {
        self.blockSize = blockSize
        self.total = total
    }

    /// A thousandth of the whole or so: what a kill can lose, and how much has to be written down, stay small.
    static func blockSize(for total: Int64?) -> Int64 {
        guard let total else { return 256 << 10 }
        var size: Int64 = 64 << 10
        while size < 4 << 20, size < total / 1024 { size *= 2 }
        return size
    }

    /// The number of blocks, once the total is known.
    var count: Int? { total.map { $0 > 0 ? Int(($0 - 1) / blockSize) + 1 : 0 } }

    func start(of block: Int) -> Int64 { Int64(block) * blockSize }

    /// The length of a whole block; 0 of one behind the end.
    func length(of block: Int) -> Int64 {
        guard let total else { return blockSize }
        return max(0, min(blockSize, total - start(of: block)))
    }

    /// How many bytes are there.
    var completedBytes: Int64 {
        let whole = sums.keys.reduce(0) { $0 + length(of: $1) }
        return beginnings.values.reduce(whole) { $0 + $1.count }
    }

    /// Whether all is there.
    var isComplete: Bool {
        guard let count else { return false }
        return sums.count == count
    }

    /// The first byte that is missing, and the first one after it that is not; `nil` if none is.
    mutating func firstGap() -> (start: Int64, end: Int64?) {
        while sums[firstOpen] != nil { firstOpen += 1 }
        let start = start(of: firstOpen) + (beginnings[firstOpen]?.count ?? 0)
        let next = sums.keys.filter { $0 > firstOpen }.min()
        return (start, next.map { self.start(of: $0) })
    }

    /// Takes note of a whole block.
    mutating func complete(_ block: Int, sum: UInt64) {
        sums[block] = sum
        beginnings[block] = nil
        claims.remove(block)
    }

    /// Takes note of the beginning of a block.
    mutating func begin(_ block: Int, _ beginning: Beginning) {
        guard sums[block] == nil else { return }
        claims.remove(block)
        beginnings[block] = beginning.count > 0 ? beginning : nil
    }

    /// Gives the block at a position to one who fetches it from there on, with what is there of it before that. One who
    /// comes to its first byte brings all of it, whatever is there.
    ///
    /// - Parameter reserved: The blocks that this one has reserved.
    /// - Returns: `nil` if it is there, another fetches it, or what is there ends elsewhere.
    mutating func claim(at position: Int64, reserved: Range<Int> = 0..<0) -> (block: Int, beginning: Beginning)? {
        let block = Int(position / blockSize)
        if let count, block >= count { return nil }
        let isFirst = position == start(of: block)
        guard sums[block] == nil, isFirst || position == firstMissing(of: block),
            claims.insert(block).inserted || reserved.contains(block)
        else { return nil }
        let beginning = beginnings.removeValue(forKey: block) ?? Beginning()
        return (block, isFirst ? Beginning() : beginning)
    }

    /// Reserves a stretch at the end of what nobody fetches yet: the smaller, the less is left.
    ///
    /// - Parameter connections: How many fetch at the same time.
    /// - Returns: `nil` if there is none.
    mutating func reserve(connections: Int) -> Range<Int>? {
        guard let count, let last = (0..<count).last(where: isFree) else { return nil }
        let least = max(1, Int((1 << 20) / blockSize))
        let wanted = min(max(least, (count - sums.count - claims.count) / (connections * 2)), Self.longestStretch)
        var first = last
        while first > 0, last - first + 1 < wanted, isFree(first - 1) { first -= 1 }
        claims.formUnion(first...last)
        return first..<(last + 1)
    }

    /// Gives back what is not fetched after all.
    mutating func release(_ reserved: Range<Int>) { claims.subtract(reserved) }

    private func isFree(_ block: Int) -> Bool { sums[block] == nil && !claims.contains(block) }

    /// Where the first byte that is missing of a block is.
    func firstMissing(of block: Int) -> Int64 { start(of: block) + (beginnings[block]?.count ?? 0) }
}
