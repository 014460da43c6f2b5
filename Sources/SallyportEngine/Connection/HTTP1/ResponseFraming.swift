import HTTPTypes
import SallyportTransport

/// How the end of a response's body is found (RFC 9112, section 6.3).
enum ResponseFraming: Equatable {
    case length(Int64)
    case chunked
    case untilClose

    /// The length of the body on the wire; `nil` where only its end tells.
    var length: Int64? {
        if case .length(let length) = self { length } else { nil }
    }

    /// - Throws: ``NetworkError/invalidResponse(_:)`` where two ways to find it contradict each other.
    init(of response: HTTPResponse, to method: HTTPRequest.Method) throws(NetworkError) {
        if response.isBodiless(to: method) {
            self = .length(0)
        } else if response.headerFields.hasTransferEncoding {
            guard !response.headerFields.contains(.contentLength) else {
                throw .invalidResponse("the response has both Content-Length and Transfer-Encoding")
            }
            guard response.headerFields[.transferEncoding]?.lowercased() == "chunked" else {
                throw .invalidResponse("the response has a Transfer-Encoding other than chunked")
            }
            self = .chunked
        } else if let length = try response.announcedLength() {
            self = .length(length)
        } else {
            self = .untilClose
        }
    }
}

extension HTTPResponse {
    /// Whether the server keeps the connection for another exchange (RFC 9112, section 9.3).
    func keepsConnection(version: ConnectionFacts.Version) -> Bool {
        if version == .http1_1 { return !headerFields.hasConnectionOption("close") }
        // Intermediaries of that age do not know what a transfer coding is (RFC 9112, section 6.1).
        return headerFields.hasConnectionOption("keep-alive") && !headerFields.hasTransferEncoding
    }
}

extension HTTPFields {
    fileprivate var hasTransferEncoding: Bool { contains(.transferEncoding) }

    /// Whether `Connection` lists an option, given in lower case (RFC 9110, section 7.6.1).
    func hasConnectionOption(_ option: String) -> Bool {
        for field in self where field.name == .connection {
            let value = field.value.lowercased()
            if value == option { return true }
            guard value.utf8.contains(UInt8(ascii: ",")) else { continue }
            if value.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains(option[...]) {
                return true
            }
        }
        return false
    }
}
