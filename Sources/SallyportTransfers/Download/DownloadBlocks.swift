import Sallyport

/// The bytes of a file that are present: complete blocks with their checksums, and the beginnings of other blocks.
///
/// It performs no I/O.
struct DownloadBlocks: Sendable {
    /// The bytes at the beginning of a block.
    struct Beginning: Sendable {
        var count: Int64 = 0
        var sum = BlockSum()
    }

    /// The maximum number of blocks that are reserved at a time, however long the server claims the file to be.
    private static let maximumReservation = 1024

    /// The number of bytes in each block except the last.
    let blockSize: Int64

    /// The length of the file, once it is known. Blocks that do not fit a file of this length are discarded.
    var total: Int64? {
        didSet {
            guard let total, total != oldValue else { return }
            sums = sums.filter { length(of: $0.key) == blockSize }
            beginnings = beginnings.filter { $0.value.count < length(of: $0.key) }
            firstIncomplete = 0
        }
    }

    /// The checksums of the complete blocks.
    private(set) var sums: [Int: UInt64] = [:]

    /// The beginnings of the blocks that are incomplete.
    private(set) var beginnings: [Int: Beginning] = [:]

    /// The blocks that are being fetched or reserved.
    private var claims: Set<Int> = []

    /// The first block that may be incomplete.
    private var firstIncomplete = 0

    init(blockSize: Int64, total: Int64?) {
        self.blockSize = blockSize
        self.total = total
    }

    /// Returns a block size of about a thousandth of the file, which keeps both the loss after a crash and the journal
    /// small.
    static func blockSize(for total: Int64?) -> Int64 {
        guard let total else { return 256 << 10 }
        var size: Int64 = 64 << 10
        while size < 4 << 20, size < total / 1024 { size *= 2 }
        return size
    }

    /// The number of blocks; `nil` until the total is known.
    var count: Int? { total.map { $0 > 0 ? Int(($0 - 1) / blockSize) + 1 : 0 } }

    func start(of block: Int) -> Int64 { Int64(block) * blockSize }

    /// Returns the length of a block; 0 for a block after the end of the file.
    func length(of block: Int) -> Int64 {
        guard let total else { return blockSize }
        return max(0, min(blockSize, total - start(of: block)))
    }

    /// The number of bytes that are present.
    var completedBytes: Int64 {
        let complete = sums.keys.reduce(0) { $0 + length(of: $1) }
        return beginnings.values.reduce(complete) { $0 + $1.count }
    }

    /// A Boolean value that indicates whether all bytes of the file are present.
    var isComplete: Bool {
        guard let count else { return false }
        return sums.count == count
    }

    /// Returns the first byte that is missing, and the first byte after it that is present; `nil` if there is none.
    mutating func firstGap() -> (start: Int64, end: Int64?) {
        while sums[firstIncomplete] != nil { firstIncomplete += 1 }
        let start = start(of: firstIncomplete) + (beginnings[firstIncomplete]?.count ?? 0)
        let next = sums.keys.filter { $0 > firstIncomplete }.min()
        return (start, next.map { self.start(of: $0) })
    }

    /// Records a complete block.
    mutating func complete(_ block: Int, sum: UInt64) {
        sums[block] = sum
        beginnings[block] = nil
        claims.remove(block)
    }

    /// Records the beginning of a block, and releases the block.
    mutating func recordBeginning(_ beginning: Beginning, of block: Int) {
        guard sums[block] == nil else { return }
        claims.remove(block)
        beginnings[block] = beginning.count > 0 ? beginning : nil
    }

    /// Claims the block at a position for a caller that will write from that position. A caller that starts at the
    /// first byte of the block rewrites all of it.
    ///
    /// - Parameter reserved: The blocks that the caller has reserved.
    /// - Returns: The block and the bytes before the position; `nil` if the block is complete or claimed by another
    ///   caller, or if its beginning ends at another position.
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

    /// Reserves the free blocks nearest to the end of the file. The fewer blocks are incomplete, the fewer it reserves.
    ///
    /// - Parameter connections: The number of callers that fetch in parallel.
    /// - Returns: The blocks; `nil` if none is free.
    mutating func reserve(connections: Int) -> Range<Int>? {
        guard let count, let last = (0..<count).last(where: isFree) else { return nil }
        let minimum = max(1, Int((1 << 20) / blockSize))
        let wanted = min(max(minimum, (count - sums.count - claims.count) / (connections * 2)), Self.maximumReservation)
        var first = last
        while first > 0, last - first + 1 < wanted, isFree(first - 1) { first -= 1 }
        claims.formUnion(first...last)
        return first..<(last + 1)
    }

    /// Releases blocks that were reserved.
    mutating func release(_ reserved: Range<Int>) { claims.subtract(reserved) }

    private func isFree(_ block: Int) -> Bool { sums[block] == nil && !claims.contains(block) }

    /// Returns the position of the first byte of a block that is missing.
    func firstMissing(of block: Int) -> Int64 { start(of: block) + (beginnings[block]?.count ?? 0) }
}
