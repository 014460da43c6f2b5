import Foundation

/// Why a call failed. Every failure of a client or a transport is one of these.
///
/// Each case carries a ``NetworkFailure``: what was asked, how far it got, and what to do about it.
///
/// ```swift
/// do {
///     let response = try await client.request { request in request.url = "https://api.example.com/users" }
/// } catch NetworkError.timeout(let failure) {
///     print(failure)
/// } catch {
///     print(error)
/// }
/// ```
public enum NetworkError: Error, Sendable {
    /// The request cannot be sent as it is; nothing was sent.
    case invalidRequest(NetworkFailure)
    /// There is no network to send it on.
    case networkUnavailable(NetworkFailure)
    /// The host's name has no address.
    case hostNotFound(NetworkFailure)
    /// None of the host's addresses accepted a connection.
    case connectionFailed(NetworkFailure)
    /// The TLS handshake failed for another reason than the server's certificate.
    case tlsFailed(NetworkFailure)
    /// The server's certificate was refused; nothing of the request was sent.
    case certificateRefused(NetworkFailure)
    /// The server's certificates match none of the pins; nothing of the request was sent.
    case pinMismatch(NetworkFailure)
    /// A phase or the whole took longer than it may.
    case timeout(NetworkFailure)
    /// The connection broke before the response was whole.
    case connectionLost(NetworkFailure)
    /// The body ended before its announced length.
    case incompleteBody(NetworkFailure)
    /// What came is not a valid HTTP response.
    case invalidResponse(NetworkFailure)
    /// The body is not in the content coding it claims, or exceeds the limits on decoding.
    case undecodableBody(NetworkFailure)
    /// The response is larger than is accepted.
    case responseTooLarge(NetworkFailure)
    /// The server redirected the request more often than the limit allows.
    case tooManyRedirects(NetworkFailure)
    /// The task was cancelled, or the body given up.
    case cancelled(NetworkFailure)
    /// The client or its transport has been closed.
    case clientClosed(NetworkFailure)
    /// Anything else, such as an error thrown by an interceptor.
    case networkError(NetworkFailure)
}

extension NetworkError {
    /// What is known of the failure.
    public var failure: NetworkFailure {
        get { parts.failure }
        set { self = parts.make(newValue) }
    }

    /// The failure, and the case to put it back in.
    private var parts: (failure: NetworkFailure, make: (NetworkFailure) -> NetworkError) {
        switch self {
        case .invalidRequest(let failure): (failure, NetworkError.invalidRequest)
        case .networkUnavailable(let failure): (failure, NetworkError.networkUnavailable)
        case .hostNotFound(let failure): (failure, NetworkError.hostNotFound)
        case .connectionFailed(let failure): (failure, NetworkError.connectionFailed)
        case .tlsFailed(let failure): (failure, NetworkError.tlsFailed)
        case .certificateRefused(let failure): (failure, NetworkError.certificateRefused)
        case .pinMismatch(let failure): (failure, NetworkError.pinMismatch)
        case .timeout(let failure): (failure, NetworkError.timeout)
        case .connectionLost(let failure): (failure, NetworkError.connectionLost)
        case .incompleteBody(let failure): (failure, NetworkError.incompleteBody)
        case .invalidResponse(let failure): (failure, NetworkError.invalidResponse)
        case .undecodableBody(let failure): (failure, NetworkError.undecodableBody)
        case .responseTooLarge(let failure): (failure, NetworkError.responseTooLarge)
        case .tooManyRedirects(let failure): (failure, NetworkError.tooManyRedirects)
        case .cancelled(let failure): (failure, NetworkError.cancelled)
        case .clientClosed(let failure): (failure, NetworkError.clientClosed)
        case .networkError(let failure): (failure, NetworkError.networkError)
        }
    }

    /// A Boolean value that indicates whether the server may have received the request, or a part of it.
    ///
    /// It is `true` unless the failure is known to have happened before anything was sent.
    package var mayHaveReachedServer: Bool {
        switch self {
        case .invalidRequest, .hostNotFound, .connectionFailed, .tlsFailed, .certificateRefused, .pinMismatch: false
        case .networkUnavailable: failure.phase.map { $0 >= .send } ?? false
        default: failure.phase.map { $0 >= .send } ?? true
        }
    }

    /// Wraps any error: a network error is itself, a cancellation is ``cancelled(_:)``, others are ``networkError(_:)``.
    package init(wrapping error: any Error, reason: String) {
        switch error {
        case let error as NetworkError: self = error
        case is CancellationError: self = .cancelled("the task was cancelled")
        default: self = .networkError(NetworkFailure("\(reason): \(error)", underlying: error))
        }
    }
}

extension NetworkError: CustomStringConvertible, LocalizedError {
    /// The failure in one sentence.
    public var description: String { failure.description }

    /// The same as ``description``, so that `localizedDescription` says it too.
    public var errorDescription: String? { description }
}
