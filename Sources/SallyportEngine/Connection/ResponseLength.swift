import HTTPTypes
import SallyportTransport

extension HTTPResponse {
    /// Returns a Boolean value that indicates whether a response with this status to this method has no body,
    /// regardless of its fields (RFC 9110, section 6.4.1).
    func isBodiless(to method: HTTPRequest.Method) -> Bool {
        method == .head || status.code == 204 || status.code == 304
    }

    /// Returns the length that `Content-Length` announces, or `nil` if there is no such field.
    ///
    /// A repeated number, in several fields or in a list such as `6, 6`, is accepted as one length (RFC 9110, section
    /// 8.6).
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` for different numbers, or a value that is not a number.
    func announcedLength() throws(NetworkError) -> Int64? {
        var announced: Int64?
        for field in headerFields where field.name == .contentLength {
            guard let length = Int64(digits: field.value) ?? Int64(repeatedIn: field.value),
                length == announced ?? length
            else {
                throw .invalidResponse("the response's Content-Length is not one number")
            }
            announced = length
        }
        return announced
    }
}

extension Int64 {
    /// Parses a text that consists of digits. Any other text, such as one with a sign, is `nil`.
    fileprivate init?(digits: some StringProtocol) {
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
        self.init(digits, radix: 10)
    }

    /// Parses a list whose members are all the same number.
    fileprivate init?(repeatedIn list: String) {
        let members = list.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = Set(members.map { Int64(digits: $0.trimmingBlanks()) })
        guard numbers.count == 1, let number = numbers.first ?? nil else { return nil }
        self = number
    }
}
