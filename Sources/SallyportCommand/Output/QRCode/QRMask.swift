/// The patterns of which one is laid over the text, so that it looks like no other part (ISO/IEC 18004, table 10).
enum QRMask: Int, Sendable, CaseIterable {
    case checkerboard, rows, columns, diagonals, blocks, crosses, diamonds, patches

    /// Whether a module is turned over.
    func turns(_ row: Int, _ column: Int) -> Bool {
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
