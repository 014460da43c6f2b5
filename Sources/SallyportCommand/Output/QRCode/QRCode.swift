/// A QR code (ISO/IEC 18004): a square of dark and light modules that a camera reads as a text.
///
/// Bytes are encoded as they are, in the smallest of versions 1 to 20, with as much correction as that has room for.
struct QRCode: Sendable {
    /// How many modules there are on a side, without the quiet zone.
    let size: Int

    private let modules: [[Bool]]

    /// - Returns: `nil` for a text of more than 858 bytes.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.smallest(for: bytes.count) else { return nil }
        let masked = QRMask.allCases.map { Self.symbol(bytes, version, mask: $0) }
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self.init(best)
    }

    /// Makes a code in one version, under one mask.
    init(bytes: [UInt8], version: QRVersion, mask: QRMask) {
        self.init(Self.symbol(bytes, version, mask: mask))
    }

    private init(_ grid: QRGrid) {
        size = grid.size
        modules = grid.modules
    }

    private static func symbol(_ bytes: [UInt8], _ version: QRVersion, mask: QRMask) -> QRGrid {
        var grid = QRGrid(version, mask: mask)
        grid.fill(with: QRCodewords.all(for: bytes, in: version))
        grid.apply(mask)
        return grid
    }

    /// Whether a module is dark; around the square all are light.
    func isDark(_ row: Int, _ column: Int) -> Bool {
        modules.indices.contains(row) && modules.indices.contains(column) && modules[row][column]
    }
}
