import Foundation

/// A QR code as lines for a terminal, two rows of modules to a line.
struct QRCodeText: Sendable {
    /// The light modules around the code, without which cameras do not find it.
    static let quietZone = 4

    private let code: QRCode

    /// Whether black and white are set by escape sequences, which any theme of the terminal leaves as they are.
    ///
    /// Without them, what the terminal draws is light, as on terminals that are dark; on others the code is inverted.
    let isColored: Bool

    init(_ code: QRCode, isColored: Bool) {
        self.code = code
        self.isColored = isColored
    }

    /// The text of a QR code for a terminal.
    ///
    /// - Returns: `nil` where it would not fit: for a text too long, or a terminal too narrow.
    static func make(
        _ text: String,
        columns: Int?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        guard let code = QRCode(text) else { return nil }
        let isPlain = environment["NO_COLOR", default: ""] != "" || environment["TERM"] == "dumb"
        let drawn = QRCodeText(code, isColored: !isPlain)
        if let columns, columns < drawn.columns { return nil }
        return drawn.lines.joined(separator: "\n")
    }

    /// How wide it is.
    var columns: Int { code.size + 2 * Self.quietZone }

    /// The lines, from the top.
    var lines: [String] {
        let range = -Self.quietZone..<code.size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = String(range.map { glyph(code.isDark(row, $0), code.isDark(row + 1, $0)) })
            return isColored ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
        }
    }

    /// What is drawn is dark on a white ground, and light where the ground is the terminal's own.
    private func glyph(_ isUpperDark: Bool, _ isLowerDark: Bool) -> Character {
        switch (isUpperDark == isColored, isLowerDark == isColored) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
