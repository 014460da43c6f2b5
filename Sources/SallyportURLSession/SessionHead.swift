import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The head of a response, and the properties of the body that follow from it.
struct SessionHead: Sendable {
    /// The status and fields, without those that describe the bytes before decoding by the session.
    private(set) var response: HTTPResponse
    /// The number of bytes of the body; `nil` if it is unknown, for example because the session decodes the body.
    let length: Int64?
    /// A Boolean value that indicates whether the session decodes the body.
    let isDecoded: Bool
    /// The first content coding of the body that the session does not decode; `nil` if the body is passed on as it was sent because
    /// `Content-Encoding` names something that is not a coding.
    let unsupportedCoding: String?

    /// The content codings that `URLSession` always decodes.
    private static let decodedCodings: Set = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    /// Creates the head of a session's response.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` or ``NetworkError/responseTooLarge(_:)``.
    init(
        _ response: URLResponse,
        answering method: HTTPRequest.Method,
        limits: ResponseLimits
    ) throws(NetworkError) {
        guard let response = response as? HTTPURLResponse, (100...999).contains(response.statusCode) else {
            throw .badHead("the response is not an HTTP response")
        }
        var fields = try HTTPFields(response.allHeaderFields, limits: limits)
        let status = HTTPResponse.Status(code: response.statusCode)
        let declaredLength = try fields.checkedLength()
        let hasBody = method != .head && status.kind != .informational && status != .noContent && status != .notModified
        let codings = hasBody ? fields.contentCodings : []
        let unsupported = codings.first { !Self.decodedCodings.contains($0) }
        unsupportedCoding = codings.allSatisfy(ContentCoding.isRegistered) ? unsupported : nil
        isDecoded = !codings.isEmpty && unsupported == nil
        length = hasBody ? (isDecoded ? nil : declaredLength) : 0
        if isDecoded {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        self.response = HTTPResponse(status: status, headerFields: fields)
        if status == .switchingProtocols { throw .badHead("the server switched protocols without being asked to") }
    }
}

extension HTTPFields {
    fileprivate init(_ fields: [AnyHashable: Any], limits: ResponseLimits) throws(NetworkError) {
        self.init()
        var size = 0
        for (name, value) in fields {
            let (name, value) = ("\(name)", "\(value)")
            size += name.utf8.count + value.utf8.count + 4
            guard append(joined: name, value) else { throw .badHead("the response's head has an invalid field") }
        }
        guard size <= limits.headBytes, count <= limits.headFields else {
            throw .responseTooLarge(NetworkFailure("the response's head exceeds the limits", phase: .head))
        }
    }

    /// Returns the declared length, if it is unambiguous (RFC 9112, section 6.3).
    fileprivate func checkedLength() throws(NetworkError) -> Int64? {
        guard let text = self[.contentLength] else { return nil }
        let lengths = Set(text.split(separator: ",").map { $0.drop { $0 == " " } })
        guard lengths.count == 1, let digits = lengths.first, digits.utf8.allSatisfy(\.isDigit),
            let length = Int64(digits)
        else { throw .badHead("the response's Content-Length is not a length") }
        guard self[.transferEncoding] == nil else {
            throw .badHead("the response has both a Content-Length and a Transfer-Encoding")
        }
        return length
    }

    /// The content codings of the body in lower case, without `identity`.
    fileprivate var contentCodings: [String] {
        (self[.contentEncoding] ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { $0 != "identity" && !$0.isEmpty }
    }
}

extension NetworkError {
    fileprivate static func badHead(_ reason: String) -> NetworkError {
        .invalidResponse(NetworkFailure(reason, phase: .head))
    }
}
