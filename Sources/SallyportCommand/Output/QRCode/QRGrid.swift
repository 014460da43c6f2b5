/// The modules of a QR code during placement (ISO/IEC 18004, sections 6.3 and 7.7).
struct QRGrid: Sendable {
    /// The number of modules on each side.
    let size: Int
    /// The modules by row and column; `true` for dark ones.
    private(set) var modules: [[Bool]]
    /// The modules of function patterns, which are not part of the data.
    private var isFixed: [[Bool]]

    /// Creates a grid with the function patterns, the format information and the version information.
    init(_ version: QRVersion, mask: QRMask) {
        size = version.size
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isFixed = modules
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { addFinder(row, column) }
        addAlignments(version.alignmentCenters)
        addFormat(QRFormat.bits(version.correction, mask))
        if version.number >= 7 { addVersion(QRFormat.bits(ofVersion: version.number)) }
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        modules[row][column] = isDark
        isFixed[row][column] = true
    }

    /// Adds a finder pattern: a dark square in a light one in a dark one, with a light border.
    private mutating func addFinder(_ row: Int, _ column: Int) {
        for down in -4...4 {
            for right in -4...4 where (0..<size).contains(row + down) && (0..<size).contains(column + right) {
                let distance = max(abs(down), abs(right))
                set(row + down, column + right, distance != 2 && distance != 4)
            }
        }
    }

    /// Adds the alignment patterns: a dark module in a light square in a dark one, except at the finder patterns.
    private mutating func addAlignments(_ centers: [Int]) {
        let corners = [[6, 6], [6, size - 7], [size - 7, 6]]
        for row in centers {
            for column in centers where !corners.contains([row, column]) {
                for down in -2...2 {
                    for right in -2...2 { set(row + down, column + right, max(abs(down), abs(right)) != 1) }
                }
            }
        }
    }

    /// Adds both copies of the format information, and the module that is always dark.
    private mutating func addFormat(_ bits: Int) {
        for bit in 0..<15 {
            let isDark = bits >> bit & 1 == 1
            // One copy is in column 8, the other one in row 8. Both skip the timing patterns.
            let row = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit
            set(row, 8, isDark)
            let column = bit < 8 ? size - 1 - bit : bit == 8 ? 7 : 14 - bit
            set(8, column, isDark)
        }
        set(size - 8, 8, true)
    }

    /// Adds both copies of the version information.
    private mutating func addVersion(_ bits: Int) {
        for bit in 0..<18 {
            let isDark = bits >> bit & 1 == 1
            set(bit / 3, size - 11 + bit % 3, isDark)
            set(size - 11 + bit % 3, bit / 3, isDark)
        }
    }

    /// Places codewords in pairs of columns from the right, alternately upward and downward. Remaining modules are light.
    mutating func fill(with codewords: [UInt8]) {
        var bit = 0
        var isUpward = true
        // Column 6 contains a timing pattern and is skipped.
        for right in stride(from: size - 1, to: 0, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row][column] && bit < codewords.count * 8 {
                    modules[row][column] = codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            isUpward.toggle()
        }
    }

    /// Inverts the data modules that a mask selects.
    mutating func apply(_ mask: QRMask) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row][column] && mask.inverts(row, column) {
                modules[row][column].toggle()
            }
        }
    }
}

extension QRGrid {
    /// The penalty for patterns that may confuse a camera (ISO/IEC 18004, section 7.8.3). The mask with the lowest penalty
    /// is used.
    var penalty: Int {
        let columns = (0..<size).map { column in modules.map { $0[column] } }
        let lines = modules + columns
        return lines.reduce(0) { $0 + Self.runs(in: $1) + Self.finders(in: $1) } + squares + imbalance
    }

    /// Returns three points for five adjacent modules of the same color, and one for each further module.
    private static func runs(in line: [Bool]) -> Int {
        var points = 0
        var length = 0
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { points += 3 } else if length > 5 { points += 1 }
        }
        return points
    }

    /// Returns forty points for each pattern that looks like a finder pattern with four light modules before or after it.
    /// Modules outside the code are light.
    private static func finders(in line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        var points = 0
        for start in 0...line.count - finder.count where Array(line[start..<start + finder.count]) == finder {
            let before = line[max(0, start - 4)..<start]
            let after = line[(start + finder.count)...].prefix(4)
            if !before.contains(true) { points += 40 }
            if !after.contains(true) { points += 40 }
        }
        return points
    }

    /// Three points for each square of two by two modules of the same color.
    private var squares: Int {
        var points = 0
        for row in 1..<size {
            for column in 1..<size {
                let color = modules[row][column]
                if color == modules[row - 1][column], color == modules[row][column - 1],
                    color == modules[row - 1][column - 1]
                {
                    points += 3
                }
            }
        }
        return points
    }

    /// Ten points for each full 5% by which the proportion of dark modules differs from 50%.
    private var imbalance: Int {
        let dark = modules.reduce(0) { $0 + $1.count(where: \.self) }
        let total = size * size
        return abs(dark * 20 - total * 10) / total * 10
    }
}

/// A mask pattern, which inverts some of the data modules (ISO/IEC 18004, table 10).
enum QRMask: Int, Sendable, CaseIterable {
    case checkerboard, rows, columns, diagonals, blocks, crosses, diamonds, patches

    /// Returns a Boolean value that indicates whether the mask inverts a module.
    func inverts(_ row: Int, _ column: Int) -> Bool {
        switch self {
        case .checkerboard: (row + column) % 2 == 0
        case .rows: row % 2 == 0
        case .columns: column % 3 == 0
        case .diagonals: (row + column) % 3 == 0
        case .blocks: (row / 2 + column / 3) % 2 == 0
        case .crosses: row * column % 2 + row * column % 3 == 0
        case .diamonds: (row * column % 2 + row * column % 3) % 2 == 0
        case .patches: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}

/// The format and version information of a QR code, with error correction (ISO/IEC 18004, sections 7.9 and 7.10).
enum QRFormat {
    /// Returns the 15 bits of the format information: error correction level and mask.
    static func bits(_ correction: QRVersion.Correction, _ mask: QRMask) -> Int {
        let data = (correction == .low ? 0b01 : 0b00) << 3 | mask.rawValue
        return (data << 10 | remainder(of: data, degree: 10, generator: 0b101_0011_0111)) ^ 0b101_0100_0001_0010
    }

    /// Returns the 18 bits of the version information.
    static func bits(ofVersion number: Int) -> Int {
        number << 12 | remainder(of: number, degree: 12, generator: 0b1_1111_0010_0101)
    }

    private static func remainder(of data: Int, degree: Int, generator: Int) -> Int {
        var remainder = data
        for _ in 0..<degree { remainder = remainder << 1 ^ (remainder >> (degree - 1)) * generator }
        return remainder
    }
}
