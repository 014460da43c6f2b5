import Foundation
import SallyportTransport

/// What is known of a failed call of a service, for the person who meets the error.
public struct NetworkServiceErrorInfo: Sendable {
    /// What went wrong.
    public var reason: String

    /// The method and URL of the call, without the URL's query.
    public var request: String?

    /// What to do about it.
    public var advice: String?

    /// The server's answer, if there was one, with its body.
    public var response: HttpResponse?

    /// What the server says about it: of an envelope the status's message, of problem details (RFC 9457) the detail or
    /// the title, of an OAuth answer the description. At most 1,000 characters.
    public var message: String?

    /// The server's own code for it.
    public var code: String?

    /// Where the answer differs from what was expected.
    public var decoding: DecodingFailure?

    /// The error of the call beneath.
    public var networkError: NetworkError?

    /// The error of the transfer beneath.
    public var transferError: TransferError?

    /// Makes an info of what is known.
    public init(_ reason: String, request: String? = nil, advice: String? = nil) {
        self.reason = reason
        self.request = request
        self.advice = advice
    }

    /// The status of the server's answer.
    public var status: HttpStatus? { response?.status }

    /// The body of the server's answer read as JSON, for APIs with errors of their own.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` if it is something else, or there was no answer.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        using decoder: JSONDecoder = JSONDecoder()
    ) throws(NetworkError) -> Value {
        guard let response else { throw .invalidResponse(NetworkFailure("the server has not answered")) }
        return try response.decode(type, using: decoder)
    }
}

extension NetworkServiceErrorInfo: CustomStringConvertible, CustomReflectable {
    /// All that is known, in one line: request, reason, the server's message with secrets masked, advice.
    public var description: String {
        var text = request.map { "\($0): " } ?? ""
        text += reason
        if let message { text += ": \"\(Redaction.text(message))\"" }
        if let code, decoding == nil { text += " (code \(Redaction.text(code)))" }
        if let decoding { text += ": \(decoding)" }
        return text + (advice.map { "; \($0)" } ?? "")
    }

    /// The same as ``description``, so that dumping shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["info": description], displayStyle: .struct) }
}

extension NetworkServiceError {
    /// What a call that brought no answer comes to.
    static func wrapping(_ error: NetworkError) -> NetworkServiceError {
        var info = NetworkServiceErrorInfo(error.description)
        info.networkError = error
        return .callFailed(info)
    }
}
