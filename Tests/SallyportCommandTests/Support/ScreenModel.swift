/// A model of a terminal's screen. It supports line breaks and the three control sequences of progress bars.
struct ScreenModel {
    private(set) var rows: [[Character]] = [[]]
    private var row = 0
    private var column = 0
    private let columns: Int

    init(columns: Int) {
        self.columns = columns
    }

    /// The lines without trailing spaces.
    var lines: [String] {
        rows.map { row in
            var line = String(row)
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }

    mutating func write(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n":
                (row, column) = (row + 1, 0)
                fill()
            case "\u{1B}":
                let command = rest.dropFirst().prefix { !$0.properties.isAlphabetic }
                let letter = rest.dropFirst(1 + command.count).first
                rest = rest.dropFirst(2 + command.count)
                run(letter ?? "?", Int(String(String.UnicodeScalarView(command))) ?? 1)
            default: put(Character(scalar))
            }
        }
    }

    private mutating func run(_ letter: Unicode.Scalar, _ count: Int) {
        switch letter {
        case "A": row = max(row - count, 0)
        case "K": rows[row] = Array(rows[row].prefix(column))
        case "J":
            rows[row] = Array(rows[row].prefix(column))
            rows = Array(rows.prefix(row + 1))
        default: break
        }
    }

    private mutating func put(_ character: Character) {
        if column == columns {
            (row, column) = (row + 1, 0)
            fill()
        }
        while rows[row].count <= column { rows[row].append(" ") }
        rows[row][column] = character
        column += 1
    }

    private mutating func fill() {
        while rows.count <= row { rows.append([]) }
    }
}
