import Sallyport

/// How a request or a call ended, as labels tell it.
enum Outcome: Hashable, Sendable {
    /// By a response whose status is so many hundreds.
    case answered(hundreds: Int)
    /// By an error of this kind.
    case failed(String)

    init(_ status: HttpStatus, _ error: NetworkError?) {
        self = error.map { .failed($0.kind) } ?? .answered(hundreds: status.code / 100)
    }

    /// Both labels always: some backends want the same labels on all that have one name.
    var labels: [(String, String)] {
        switch self {
        case .answered(let hundreds): [("http.response.status_class", "\(hundreds)xx"), ("error.type", "")]
        case .failed(let kind): [("http.response.status_class", ""), ("error.type", kind)]
        }
    }
}

extension NetworkError {
    /// The name of the case.
    var kind: String {
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

extension HttpMethod {
    /// The name of a method that is known; all others together are `_OTHER`, as anyone may invent some.
    var label: String {
        switch self {
        case .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect: rawValue
        default: "_OTHER"
        }
    }
}
