/// The modules of a QR code while it is laid out (ISO/IEC 18004, sections 6.3 and 7.7).
struct QRGrid: Sendable {
    let size: Int
    private(set) var modules: [[Bool]]
    /// The modules that are no part of the text.
    private var isFixed: [[Bool]]

    /// The patterns by which a camera finds its way, and which mask and version there are.
    init(_ version: QRVersion, mask: QRMask) {
        size = version.size
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isFixed = modules
        for index in 0..<size {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { addFinder(row, column) }
        addAlignments(version.alignmentCentres)
        addFormat(QRFormat.bits(version.correction, mask))
        if version.number >= 7 { addVersion(QRFormat.bits(ofVersion: version.number)) }
    }

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        modules[row][column] = isDark
        isFixed[row][column] = true
    }

    /// A dark square in a light one in a dark one, with a light line around.
    private mutating func addFinder(_ row: Int, _ column: Int) {
        for down in -4...4 {
            for right in -4...4 where (0..<size).contains(row + down) && (0..<size).contains(column + right) {
                let distance = max(abs(down), abs(right))
                set(row + down, column + right, distance != 2 && distance != 4)
            }
        }
    }

    /// A dark module in a light square in a dark one, wherever there is no finder.
    private mutating func addAlignments(_ centres: [Int]) {
        let corners = [[6, 6], [6, size - 7], [size - 7, 6]]
        for row in centres {
            for column in centres where !corners.contains([row, column]) {
                for down in -2...2 {
                    for right in -2...2 { set(row + down, column + right, max(abs(down), abs(right)) != 1) }
                }
            }
        }
    }

    /// Twice beside the finders, with the module that is always dark.
    private mutating func addFormat(_ bits: Int) {
        for bit in 0..<15 {
            let isDark = bits >> bit & 1 == 1
            let along = bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit
            set(along, 8, isDark)
            let across = bit < 8 ? size - 1 - bit : bit == 8 ? 7 : 14 - bit
            set(8, across, isDark)
        }
        set(size - 8, 8, true)
    }

    /// Twice beside the finders too.
    private mutating func addVersion(_ bits: Int) {
        for bit in 0..<18 {
            let isDark = bits >> bit & 1 == 1
            set(bit / 3, size - 11 + bit % 3, isDark)
            set(size - 11 + bit % 3, bit / 3, isDark)
        }
    }

    /// Lays codewords in pairs of columns, up and down in turn from the right; what is left over stays light.
    mutating func fill(with codewords: [UInt8]) {
        var bit = 0
        var isUpward = true
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

    /// Turns over what a mask covers of the text.
    mutating func apply(_ mask: QRMask) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row][column] && mask.turns(row, column) {
                modules[row][column].toggle()
            }
        }
    }
}
