import Foundation
import Sallyport
import SallyportTransfers
import SallyportTransport

/// The details of a failed call of a service.
public struct NetworkServiceErrorInfo: Sendable {
    /// The reason of the failure.
    public var reason: String

    /// The method and URL of the call, without the URL's query.
    public var request: String?

    /// The advice on how to solve the problem.
    public var advice: String?

    /// The response of the server with its body; `nil` if there was none.
    public var response: HttpResponse?

    /// The server's message: the message of an envelope's status, the detail or title of a problem (RFC 9457), or the
    /// description of an OAuth error. At most 1,000 characters.
    public var message: String?

    /// The server's own error code.
    public var code: String?

    /// The difference between the response and the expected type.
    public var decoding: DecodingFailure?

    /// The error of the underlying call.
    public var networkError: NetworkError?

    /// The error of the underlying transfer.
    public var transferError: TransferError?

    /// Creates the details of a failure.
    public init(_ reason: String, request: String? = nil, advice: String? = nil) {
        self.reason = reason
        self.request = request
        self.advice = advice
    }

    /// The status of the response; `nil` if there was none.
    public var status: HttpStatus? { response?.status }

    /// Decodes the body of the response as JSON, for APIs that define their own errors.
    ///
    /// - Throws: ``NetworkError/invalidResponse(_:)`` if the body cannot be decoded, or there was no response.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        using decoder: JSONDecoder = JSONDecoder()
    ) throws(NetworkError) -> Value {
        guard let response else { throw .invalidResponse(NetworkFailure("there is no response")) }
        return try response.decode(type, using: decoder)
    }
}

extension NetworkServiceErrorInfo: CustomStringConvertible, CustomReflectable {
    /// The request, the reason, the server's message with secrets masked, and the advice, on one line.
    public var description: String {
        var text = request.map { "\($0): " } ?? ""
        text += reason
        if let message { text += ": \"\(Redaction.text(message))\"" }
        if let code, decoding == nil { text += " (code \(Redaction.text(code)))" }
        if let decoding { text += ": \(decoding)" }
        return text + (advice.map { "; \($0)" } ?? "")
    }

    /// A mirror of ``description``, so that `dump` shows no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["info": description], displayStyle: .struct) }
}

extension NetworkServiceError {
    /// Returns the error of a call without a response.
    static func wrapping(_ error: NetworkError) -> NetworkServiceError {
        var info = NetworkServiceErrorInfo(error.description)
        info.networkError = error
        return .callFailed(info)
    }
}
