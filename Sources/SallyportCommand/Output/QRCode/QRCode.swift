/// A QR code (ISO/IEC 18004): a square of dark and light modules that encodes text.
///
/// Text is encoded in byte mode, in the smallest of versions 1 to 20, with the highest of two levels of error correction
/// that fits.
struct QRCode: Sendable {
    /// The number of modules on each side, without the quiet zone.
    let size: Int

    private let modules: [[Bool]]

    /// - Returns: `nil` for text of more than 858 bytes.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.smallest(for: bytes.count) else { return nil }
        let masked = QRMask.allCases.map { Self.symbol(bytes, version, mask: $0) }
        guard let best = masked.min(by: { $0.penalty < $1.penalty }) else { return nil }
        self.init(best)
    }

    /// Creates a code of a version and with a mask.
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

    /// Returns a Boolean value that indicates whether a module is dark. Modules outside the square are light.
    func isDark(_ row: Int, _ column: Int) -> Bool {
        modules.indices.contains(row) && modules.indices.contains(column) && modules[row][column]
    }
}
