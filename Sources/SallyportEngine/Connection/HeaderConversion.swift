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
