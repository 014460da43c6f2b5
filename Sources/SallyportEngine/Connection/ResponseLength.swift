import HTTPTypes
import SallyportTransport

extension HTTPResponse {
    /// Whether a response of this status to this method has no body, whatever its fields say (RFC 9110, section 6.4.1).
    func isBodiless(to method: HTTPRequest.Method) -> Bool {
        method == .head || status.code == 204 || status.code == 304
    }

    /// What `Content-Length` announces; `nil` without one.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` for anything but one number.
    func announcedLength() throws(NetworkError) -> Int64? {
        var announced: Int64?
        for field in headerFields where field.name == .contentLength {
            guard let length = Int64(digits: field.value), length == announced ?? length else {
                throw .invalidResponse("the response's Content-Length is not one number")
            }
            announced = length
        }
        return announced
    }
}

extension Int64 {
    /// A number of nothing but digits, which therefore has no sign.
    fileprivate init?(digits: String) {
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
        self.init(digits)
    }
}
