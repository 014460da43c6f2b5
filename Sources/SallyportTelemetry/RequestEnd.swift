import Sallyport
import Tracing

extension NetworkError {
    /// The value of `error.type`: the name of the case.
    var errorType: String {
        switch self {
        case .invalidRequest: "invalidRequest"
        case .networkUnavailable: "networkUnavailable"
        case .hostNotFound: "hostNotFound"
        case .connectionFailed: "connectionFailed"
        case .tlsFailed: "tlsFailed"
        case .certificateRefused: "certificateRefused"
        case .pinMismatch: "pinMismatch"
        case .timeout: "timeout"
        case .connectionLost: "connectionLost"
        case .incompleteBody: "incompleteBody"
        case .invalidResponse: "invalidResponse"
        case .undecodableBody: "undecodableBody"
        case .responseTooLarge: "responseTooLarge"
        case .tooManyRedirects: "tooManyRedirects"
        case .cancelled: "cancelled"
        case .clientClosed: "clientClosed"
        case .networkError: "networkError"
        }
    }
}

/// The end of a request.
struct RequestEnd: Sendable {
    /// The response; `nil` if no head was received. Its body may be missing.
    let response: ResponseFacts?
    /// The error that ended the request, or the error of the call that refused to follow its redirect.
    var error: NetworkError?
    let duration: Duration
    let time: DefaultTracerClock.Timestamp

    /// The value of `error.type`; `nil` for success.
    var errorType: String? { error?.errorType ?? errorStatus.map { "\($0)" } }

    /// The status, if it is an error status.
    var errorStatus: Int? { response.flatMap { $0.status >= 400 ? $0.status : nil } }
}
