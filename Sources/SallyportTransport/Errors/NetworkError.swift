import Foundation
import HTTPTypes

/// An error that a client or transport throws.
///
/// Each case has a ``NetworkFailure``, which states the request, the phase that failed, and what to do.
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
    /// The request is invalid. Nothing was sent.
    case invalidRequest(NetworkFailure)
    /// No network is available.
    case networkUnavailable(NetworkFailure)
    /// The host name cannot be resolved.
    case hostNotFound(NetworkFailure)
    /// None of the host's addresses accepted a connection.
    case connectionFailed(NetworkFailure)
    /// The TLS handshake failed for a reason other than the server's certificate.
    case tlsFailed(NetworkFailure)
    /// The server's certificate was refused. Nothing was sent.
    case certificateRefused(NetworkFailure)
    /// The server's certificates match none of the pins. Nothing was sent.
    case pinMismatch(NetworkFailure)
    /// A phase or the complete call exceeded its timeout.
    case timeout(NetworkFailure)
    /// The connection was lost before the response was complete.
    case connectionLost(NetworkFailure)
    /// The body ended before its declared length.
    case incompleteBody(NetworkFailure)
    /// The response is not valid HTTP.
    case invalidResponse(NetworkFailure)
    /// The body does not have its declared content coding, or exceeds the limits on decoding.
    case undecodableBody(NetworkFailure)
    /// The response exceeds a size limit.
    case responseTooLarge(NetworkFailure)
    /// The number of redirects exceeded the limit.
    case tooManyRedirects(NetworkFailure)
    /// The task or the body was cancelled.
    case cancelled(NetworkFailure)
    /// The client or its transport is closed.
    case clientClosed(NetworkFailure)
    /// Another error, such as one thrown by an interceptor.
    case networkError(NetworkFailure)
}

extension NetworkError {
    /// The description of the failure.
    public var failure: NetworkFailure {
        get { parts.failure }
        set { self = parts.make(newValue) }
    }

    /// The failure, and a function that creates the same case with another failure.
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
    /// It is `true` unless the failure is known to have happened before anything was sent. Statements of the server that it has not
    /// processed the request have no effect.
    package var mayHaveReachedServer: Bool {
        if failure.mayHaveBeenSentEarlier { return true }
        return switch self {
        case .invalidRequest, .hostNotFound, .connectionFailed, .tlsFailed, .certificateRefused, .pinMismatch: false
        case .networkUnavailable: failure.phase.map { $0 >= .send } ?? false
        default: failure.phase.map { $0 >= .send } ?? true
        }
    }

    /// Wraps an error: network errors are unchanged, cancellations become ``cancelled(_:)``, and others ``networkError(_:)``.
    package init(wrapping error: any Error, reason: String) {
        switch error {
        case let error as NetworkError: self = error
        case is CancellationError: self = .cancelled("the task was cancelled")
        default: self = .networkError(NetworkFailure("\(reason): \(error)", underlying: error))
        }
    }
}

extension NetworkError: CustomStringConvertible, LocalizedError {
    /// The failure in one line.
    public var description: String { failure.description }

    /// The same text as ``description``, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension NetworkError {
    /// Returns the error with the request to which it applies, unless it states one.
    package func naming(_ request: @autoclosure () -> String) -> NetworkError {
        if failure.request != nil { return self }
        var named = self
        named.failure.request = request()
        return named
    }
}

extension HTTPRequest {
    /// The method and URL without the query, which may contain secrets: `GET https://api.example.com/search?…`.
    package var summary: String {
        let path = path ?? ""
        let end = path.firstIndex(of: "?")
        return
            "\(method) \(scheme ?? "")://\(authorityWithoutUser)\(path[..<(end ?? path.endIndex)])\(end == nil ? "" : "?…")"
    }

    /// The authority for error messages, without a user name and password.
    package var authorityWithoutUser: Substring {
        let authority = (authority ?? "")[...]
        return authority.lastIndex(of: "@").map { "…" + authority[$0...] } ?? authority
    }
}
