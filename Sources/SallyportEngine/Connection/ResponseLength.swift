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
        let lengths = Set(headerFields[values: .contentLength])
        guard let length = lengths.first else { return nil }
        guard lengths.count == 1, length.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let count = Int64(length) else {
            throw .invalidResponse("the response's Content-Length is not one number")
        }
        return count
    }
}
