import Sallyport

/// The outcome of a request or call, as labels state it.
enum Outcome: Hashable, Sendable {
    /// A response with a status class, such as 2 for 2xx.
    case response(statusClass: Int)
    /// An error of a kind.
    case failed(String)

    init(_ status: HttpStatus, _ error: NetworkError?) {
        self = error.map { .failed($0.kind) } ?? .response(statusClass: status.code / 100)
    }

    /// The labels. Both are always included, as some backends require all metrics of a name to have the same labels.
    var labels: [(String, String)] {
        switch self {
        case .response(let statusClass): [("http.response.status_class", "\(statusClass)xx"), ("error.type", "")]
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
    /// The name of a known method. All others are `_OTHER`, so that the number of labels is limited.
    var label: String {
        switch self {
        case .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect: rawValue
        default: "_OTHER"
        }
    }
}
