import Foundation
import Sallyport

/// The error of a call.
///
/// ```swift
/// if case .failure(NetworkError.networkError(let underlying)) = result {
///     print((underlying as? URLError)?.code == .notConnectedToInternet)
/// }
/// ```
public enum NetworkError: Error, Sendable {
    /// The call exceeded its timeout.
    case timeout
    /// The request is invalid, for the given reason. Nothing was sent.
    case invalidRequest(String)
    /// The call failed for another reason.
    ///
    /// For a failure of the network, the underlying error is a `URLError`. Its own underlying error states the request, the phase that
    /// failed and what to do.
    case networkError(any Error)
    /// The response is invalid, for the given reason.
    case invalidResponse(String)
}

extension NetworkError {
    init(_ error: Sallyport.NetworkError) {
        let cause = error.failure.underlying as? URLError
        func networkError(_ code: URLError.Code) -> NetworkError {
            let info: [String: Any] = [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error]
            return .networkError(URLError(cause?.code ?? code, userInfo: info))
        }
        self =
            switch error {
            case .timeout: .timeout
            case .invalidRequest: .invalidRequest(error.description)
            case .invalidResponse, .undecodableBody, .responseTooLarge: .invalidResponse(error.description)
            case .networkUnavailable: networkError(.notConnectedToInternet)
            case .hostNotFound: networkError(.cannotFindHost)
            case .connectionFailed: networkError(.cannotConnectToHost)
            case .tlsFailed: networkError(.secureConnectionFailed)
            case .certificateRefused, .pinMismatch: networkError(.serverCertificateUntrusted)
            case .connectionLost, .incompleteBody: networkError(.networkConnectionLost)
            case .tooManyRedirects: networkError(.httpTooManyRedirects)
            case .cancelled, .clientClosed: networkError(.cancelled)
            case .networkError where cause?.code == .timedOut: .timeout
            case .networkError(let failure): .networkError(failure.underlying ?? error)
            }
    }
}

extension NetworkError: CustomStringConvertible, LocalizedError {
    /// The reason for the failure in one line.
    public var description: String {
        switch self {
        case .timeout: "the call exceeded its timeout"
        case .invalidRequest(let reason), .invalidResponse(let reason): reason
        case .networkError(let underlying): underlying.localizedDescription
        }
    }

    /// The same text as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}
