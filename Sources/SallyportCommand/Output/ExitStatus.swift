import Sallyport

/// The exit statuses of the command, with the numbers of curl's exit codes.
enum ExitStatus: Int32 {
    case success = 0
    case other = 1
    case usage = 2
    case badURL = 3
    case hostNotFound = 6
    case connectionFailed = 7
    case weirdReply = 8
    case partialBody = 18
    case errorResponse = 22
    case writeError = 23
    case unreadableInput = 26
    case timeout = 28
    case tlsFailed = 35
    case tooManyRedirects = 47
    case emptyReply = 52
    case receiveFailure = 56
    case clientCertificate = 58
    case certificateRefused = 60
    case badEncoding = 61
    case tooLarge = 63
    case loginDenied = 67
    case authorityFile = 77
    case pinMismatch = 90
    /// The length or digest of a transfer differs from the announced or expected one. curl has no number for this.
    case mismatch = 120
    case hungUp = 129
    case interrupted = 130
    case quit = 131
    case terminated = 143
}

extension ExitStatus {
    /// Returns the status for an error of the client.
    init(_ error: NetworkError) {
        switch error {
        case .invalidRequest: self = .usage
        case .hostNotFound: self = .hostNotFound
        case .networkUnavailable, .connectionFailed: self = .connectionFailed
        case .tlsFailed: self = .tlsFailed
        case .certificateRefused: self = .certificateRefused
        case .pinMismatch: self = .pinMismatch
        case .timeout: self = .timeout
        // If the server closed the connection properly, there is no underlying error.
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
