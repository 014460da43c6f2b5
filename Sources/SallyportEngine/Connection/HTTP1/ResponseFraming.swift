import HTTPTypes
import SallyportTransport

/// The framing of a response's body, which determines its end (RFC 9112, section 6.3).
enum ResponseFraming: Equatable {
    case length(Int64)
    case chunked
    case untilClose

    /// The length of the body on the wire, or `nil` if it is not known in advance.
    var length: Int64? {
        if case .length(let length) = self { length } else { nil }
    }

    /// Determines the framing of a response.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` if the fields contradict each other.
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
    /// Returns a Boolean value that indicates whether the server keeps the connection open (RFC 9112, section 9.3).
    func keepsConnection(version: ConnectionFacts.Version) -> Bool {
        if version == .http1_1 { return !headerFields.hasConnectionOption("close") }
        // HTTP/1.0 intermediaries do not understand transfer codings (RFC 9112, section 6.1).
        return headerFields.hasConnectionOption("keep-alive") && !headerFields.hasTransferEncoding
    }
}

extension HTTPFields {
    fileprivate var hasTransferEncoding: Bool { contains(.transferEncoding) }

    /// Returns a Boolean value that indicates whether `Connection` contains an option (RFC 9110, section 7.6.1).
    ///
    /// - Parameter option: The option in lower case.
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
