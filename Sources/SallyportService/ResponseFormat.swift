/// The format of an endpoint's response.
///
/// Some servers send each response in an envelope, beside a status:
///
/// ```json
/// {"status": {"message": "OK", "code": "0"}, "body": …}
/// ```
///
/// An endpoint with the format ``enveloped(payload:status:message:code:)`` returns only the payload. To read the status too, declare
/// a ``Endpoint/Response`` with members for both, and use the format ``plain``.
public enum ResponseFormat: Sendable, Hashable {
    /// The body is the response.
    case plain

    /// The response is one member of a JSON object. An error contains the message and the code of the status.
    ///
    /// ```swift
    /// configuration.responseFormat = .enveloped(payload: "data", status: "meta")
    /// ```
    ///
    /// - Parameters:
    ///   - payload: The key of the response.
    ///   - status: The key of the status; `nil` if its members are beside the response.
    ///   - message: The key of the status's message.
    ///   - code: The key of the status's code.
    case enveloped(
        payload: String = "body",
        status: String? = "status",
        message: String = "message",
        code: String = "code"
    )

    /// The keys of the envelope. An unsuccessful response may have a status with the default keys even if the format is ``plain``.
    var keys: EnvelopeKeys {
        switch self {
        case .plain: EnvelopeKeys()
        case .enveloped(let payload, let status, let message, let code):
            EnvelopeKeys(payload: payload, status: status, message: message, code: code)
        }
    }
}

/// The keys of the members of an envelope.
struct EnvelopeKeys: Sendable, Hashable {
    var payload = "body"
    var status: String? = "status"
    var message = "message"
    var code = "code"
}
