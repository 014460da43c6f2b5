import HTTPTypes
import SallyportTransport

/// The lines of a part's headers.
enum MultipartHeaders {
    static func fields(_ block: [UInt8], part: Int) throws(MultipartError) -> HTTPFields {
        var fields = HTTPFields()
        if block.isEmpty { return fields }
        var lines: [[UInt8]] = []
        for line in block.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            // Only the last line has no line break any more.
            let isWhole = line.endIndex == block.endIndex || line.last == UInt8(ascii: "\r")
            let line = line.endIndex == block.endIndex ? line : line.dropLast()
            guard isWhole, !line.contains(UInt8(ascii: "\r")), !line.contains(0) else {
                throw .invalidHeader(part: part, "has a line break or a NUL of its own")
            }
            // A line that begins with a blank goes on with the one before (RFC 5322, section 2.2.3).
            if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t"), !lines.isEmpty {
                lines[lines.count - 1] += line
            } else {
                lines.append(Array(line))
            }
        }
        for line in lines {
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard name.endIndex < line.endIndex, let fieldName = HTTPField.Name(String(decoding: name, as: UTF8.self))
            else { throw .invalidHeader(part: part, "is not of the form Name: value") }
            fields.append(HTTPField(name: fieldName, lenientValue: line[name.endIndex...].dropFirst().trimmingBlanks()))
        }
        return fields
    }
}
