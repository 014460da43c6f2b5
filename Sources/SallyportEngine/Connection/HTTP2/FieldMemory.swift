import HTTPTypes
import NIOHPACK
import SallyportTransport

/// The fields of the last head on a connection: a response mostly has the fields of the one before, at the same places,
/// and these need not be checked and made again.
struct FieldMemory {
    /// Longer values would keep too much memory, and seldom repeat.
    private static let longestValue = 256
    private static let mostFields = 64

    private var last: [HTTPField] = []

    /// Makes fields of what HPACK has decoded, without those that begin with a colon.
    mutating func fields(_ headers: HPACKHeaders, limit: Int) throws(NetworkError) -> HTTPFields {
        guard headers.count <= limit else {
            throw .responseTooLarge(NetworkFailure("the response has more than \(limit) fields", phase: .head))
        }
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        var index = 0
        for (name, value, _) in headers where name.utf8.first != UInt8(ascii: ":") {
            fields.append(try field(name, value, at: index))
            index += 1
        }
        return fields
    }

    private mutating func field(_ name: String, _ value: String, at index: Int) throws(NetworkError) -> HTTPField {
        var known: HTTPField.Name?
        if index < last.count, last[index].name.rawName == name {
            if last[index].value == value { return last[index] }
            known = last[index].name
        }
        guard let name = known ?? HTTPField.Name(name), HTTPField.isValidValue(value) else {
            throw .invalidResponse("the response has an invalid header field")
        }
        let field = HTTPField(name: name, value: value)
        if value.utf8.count <= Self.longestValue {
            if index < last.count { last[index] = field } else if index < Self.mostFields { last.append(field) }
        }
        return field
    }
}
