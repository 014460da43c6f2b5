// Tables of comma-separated values (RFC 4180), also with semicolons or tabs.

extension SecretMasker {
    /// Returns a table with all cells below the name of a secret masked. The first row has the names.
    mutating func table(_ bytes: [UInt8]) -> [UInt8] {
        let firstLine = bytes.prefix { $0 != 0x0A }
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
        let separator =
            separators.max { one, other in
                firstLine.count { $0 == one } < firstLine.count { $0 == other }
            } ?? separators[0]
        var result: [UInt8] = []
        var secretColumns: Set<Int> = []
        var (row, column, index) = (0, 0, 0)
        while index < bytes.count {
            let cell = Self.cell(in: bytes, at: index, separator: separator)
            let content = bytes[cell].filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\r") }
            if row == 0, policy.isSecretWord(content) { secretColumns.insert(column) }
            if row > 0, secretColumns.contains(column), !content.isEmpty {
                collect(content)
                let isLast = bytes[cell].last == UInt8(ascii: "\r")
                result += Self.maskBytes + (isLast ? [UInt8(ascii: "\r")] : [])
            } else {
                result += bytes[cell]
            }
            index = cell.upperBound
            guard index < bytes.count else { break }
            result.append(bytes[index])
            (row, column) = bytes[index] == separator ? (row, column + 1) : (row + 1, 0)
            index += 1
        }
        return result
    }

    /// Returns the range of the cell at an index, which may be quoted.
    private static func cell(in bytes: [UInt8], at start: Int, separator: UInt8) -> Range<Int> {
        var isQuoted = false
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, bytes[index] == separator || bytes[index] == 0x0A { break }
            index += 1
        }
        return start..<index
    }
}
