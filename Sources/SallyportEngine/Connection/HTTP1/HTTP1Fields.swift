import HTTPTypes
import NIOHTTP1
import SallyportTransport

extension HTTPResponse {
    /// Turns what NIO decoded into a response of swift-http-types.
    init(_ head: HTTPResponseHead) throws(NetworkError) {
        guard (100...999).contains(head.status.code) else {
            throw .invalidResponse("the response's status \(head.status.code) is not a status")
        }
        self.init(
            status: Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
            headerFields: try HTTPFields(head.headers)
        )
    }
}

extension HTTPFields {
    init(_ headers: HTTPHeaders) throws(NetworkError) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            let value = value.withoutOuterBlanks
            guard let name = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw .invalidResponse("the response has an invalid header field")
            }
            append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPHeaders {
    init(_ fields: HTTPFields) {
        self.init(fields.map { ($0.name.rawName, $0.value) })
    }
}

extension String {
    /// Without the blanks around a field's value that do not belong to it (RFC 9110, section 5.5).
    fileprivate var withoutOuterBlanks: String {
        func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard isBlank(utf8.first) || isBlank(utf8.last) else { return self }
        var trimmed = self[...]
        while isBlank(trimmed.utf8.first) { trimmed.removeFirst() }
        while isBlank(trimmed.utf8.last) { trimmed.removeLast() }
        return String(trimmed)
    }
}
