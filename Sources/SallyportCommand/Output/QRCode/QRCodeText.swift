import Foundation

/// A QR code as lines for a terminal. Each line contains two rows of modules.
struct QRCodeText: Sendable {
    /// The width of the light border, without which cameras do not detect the code.
    static let quietZone = 4

    private let code: QRCode

    /// A Boolean value that indicates whether escape sequences set black and white, independently of the terminal's theme.
    ///
    /// Without them, the code suits terminals with a dark background; on others it is inverted.
    let isColored: Bool

    init(_ code: QRCode, isColored: Bool) {
        self.code = code
        self.isColored = isColored
    }

    /// Returns a QR code for a terminal.
    ///
    /// - Returns: `nil` if the text is too long, or the terminal too narrow.
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

    /// The width in columns.
    var columns: Int { code.size + 2 * Self.quietZone }

    /// The lines, from the top.
    var lines: [String] {
        let range = -Self.quietZone..<code.size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = String(range.map { glyph(code.isDark(row, $0), code.isDark(row + 1, $0)) })
            return isColored ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
        }
    }

    /// Returns the character for two modules. Its strokes are dark on the white background of the escape sequences, and
    /// light on the terminal's own background.
    private func glyph(_ isUpperDark: Bool, _ isLowerDark: Bool) -> Character {
        switch (isUpperDark == isColored, isLowerDark == isColored) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
