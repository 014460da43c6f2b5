import Sallyport

extension ExitStatus {
    /// The status for an error of the client.
    init(_ error: NetworkError) {
        switch error {
        case .invalidRequest: self = .usage
        case .hostNotFound: self = .hostNotFound
        case .networkUnavailable, .connectionFailed: self = .connectionFailed
        case .tlsFailed: self = .tlsFailed
        case .certificateRefused: self = .certificateRefused
        case .pinMismatch: self = .pinMismatch
        case .timeout: self = .timeout
        // A connection that was closed in order has no error beneath.
        case .connectionLost(let failure): self = failure.underlying == nil ? .emptyReply : .receiveFailure
        case .incompleteBody: self = .partialBody
        case .invalidResponse: self = .weirdReply
        case .undecodableBody: self = .badEncoding
        case .responseTooLarge: self = .tooLarge
        case .tooManyRedirects: self = .tooManyRedirects
        case .cancelled: self = .interrupted
        case .clientClosed, .networkError: self = .other
        }
    }
}
