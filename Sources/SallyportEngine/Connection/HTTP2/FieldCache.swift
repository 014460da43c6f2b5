import HTTPTypes
import NIOHPACK
import SallyportTransport

/// Creates HTTP fields from the fields that HPACK has decoded.
///
/// It caches the fields of the last head on a connection. Most responses repeat fields of the previous response at the
/// same positions, which then need not be validated and created again.
struct FieldCache {
    /// The maximum size of a cached value. Longer values would retain too much memory, and seldom repeat.
    private static let maximumValueSize = 256
    private static let maximumFields = 64
    private static let colon = UInt8(ascii: ":")

    /// The last field at each position.
    private var last: [HTTPField] = []
    /// The fields of the last head; empty if not all of them are cached.
    private var lastHead = HTTPFields()

    mutating func response(_ headers: HPACKHeaders, limit: Int) throws(NetworkError) -> HTTPResponse {
        guard let (name, status, _) = headers.first(where: { _ in true }), name == ":status",
            let code = Self.code(status)
        else { throw .http2Violation("a response without a status") }
        let fields = try fields(headers, after: 1, limit: limit)
        return HTTPResponse(status: HTTPResponse.Status(code: code), headerFields: fields)
    }

    mutating func trailers(_ headers: HPACKHeaders, limit: Int) throws(NetworkError) -> HTTPFields {
        try fields(headers, after: 0, limit: limit)
    }

    private static func code(_ status: String) -> Int? {
        guard status.utf8.count == 3, status.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return Int(status).flatMap { $0 >= 100 ? $0 : nil }
    }

    /// - Parameter count: The number of pseudo-fields at the start; no others are allowed (RFC 9113, section 8.3).
    private mutating func fields(
        _ headers: HPACKHeaders,
        after count: Int,
        limit: Int
    ) throws(NetworkError) -> HTTPFields {
        guard headers.count <= limit else {
            let advice = SettingAdvice.raiseHeadLimits.rawValue
            let reason = "the response has more than \(limit) fields"
            throw .responseTooLarge(NetworkFailure(reason, phase: .head, advice: advice))
        }
        if repeatsLastHead(headers, after: count) { return lastHead }
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        var index = -count
        var areCached = headers.count - count <= Self.maximumFields
        for (name, value, _) in headers {
            if index >= 0 {
                fields.append(try field(name, value, at: index))
                if value.utf8.count > Self.maximumValueSize { areCached = false }
            }
            index += 1
        }
        lastHead = areCached ? fields : HTTPFields()
        return fields
    }

    private func repeatsLastHead(_ headers: HPACKHeaders, after count: Int) -> Bool {
        guard !lastHead.isEmpty, headers.count - count == lastHead.count else { return false }
        return zip(lastHead, headers.dropFirst(count)).allSatisfy { field, header in
            field.name.rawName.hasBytes(of: header.name) && field.value.hasBytes(of: header.value)
        }
    }

    private mutating func field(_ name: String, _ value: String, at index: Int) throws(NetworkError) -> HTTPField {
        let fieldName: HTTPField.Name
        if index < last.count, last[index].name.rawName.hasBytes(of: name) {
            if last[index].value.hasBytes(of: value) { return last[index] }
            fieldName = last[index].name
        } else {
            fieldName = try Self.check(name)
        }
        guard HTTPField.isValidValue(value) else { throw .invalidResponse("the response has an invalid header field") }
        let field = HTTPField(name: fieldName, value: value)
        if value.utf8.count <= Self.maximumValueSize {
            if index < last.count { last[index] = field } else if index < Self.maximumFields { last.append(field) }
        }
        return field
    }

    private static func check(_ name: String) throws(NetworkError) -> HTTPField.Name {
        if name.utf8.first == colon { throw .http2Violation("the pseudo-field \(name) at an invalid position") }
        guard let checked = HTTPField.Name(name), checked.canonicalName == name else {
            throw .invalidResponse("the response has an invalid header field")
        }
        switch name {
        case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
            throw .http2Violation("the field \(name), which is for HTTP/1.1")
        default: return checked
        }
    }
}

extension String {
    /// Returns a Boolean value that indicates whether two strings have the same bytes. (`==` compares by canonical
    /// equivalence.)
    ///
    /// They are compared as blocks of bytes, which takes a quarter of the time of comparing their UTF-8 views.
    fileprivate func hasBytes(of other: String) -> Bool {
        var (one, other) = (self, other)
        return one.withUTF8 { one in
            other.withUTF8 { other in one.count == other.count && zip(one, other).allSatisfy { $0 == $1 } }
        }
    }
}
