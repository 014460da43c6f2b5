import Foundation
import Sallyport
import SallyportTransport

/// An error that ended a call of a service.
///
/// ```swift
/// do {
///     try await service.call(CreateUser(user: draft))
/// } catch .refused(let info) {
///     show(info.message ?? "It did not work.")
/// } catch {
///     print(error)
/// }
/// ```
public enum NetworkServiceError: Error, Sendable {
    /// The configuration is invalid; nothing was sent.
    case invalidConfiguration(NetworkServiceErrorInfo)
    /// The endpoint's path, parameters or body is invalid; nothing was sent.
    case invalidEndpoint(NetworkServiceErrorInfo)
    /// There was no response; ``NetworkServiceErrorInfo/networkError`` states how far the call got.
    case callFailed(NetworkServiceErrorInfo)
    /// The server responded with a status that is not a success, possibly with a message.
    case refused(NetworkServiceErrorInfo)
    /// The response has another media type than those that are allowed.
    case unexpectedContentType(NetworkServiceErrorInfo)
    /// The response does not match the endpoint; ``NetworkServiceErrorInfo/decoding`` states the difference.
    case undecodable(NetworkServiceErrorInfo)
    /// The response has no body, but possibly a message.
    case missingBody(NetworkServiceErrorInfo)
    /// An upload or download failed; ``NetworkServiceErrorInfo/transferError`` states the reason and the bytes from which a
    /// download can be resumed.
    case transferFailed(NetworkServiceErrorInfo)

    /// The details of the failure.
    public var info: NetworkServiceErrorInfo {
        switch self {
        case .invalidConfiguration(let info), .invalidEndpoint(let info), .callFailed(let info), .refused(let info),
            .unexpectedContentType(let info), .undecodable(let info), .missingBody(let info),
            .transferFailed(let info):
            info
        }
    }

    /// `true` if the call was cancelled.
    public var isCancellation: Bool {
        if case .cancelled = info.networkError { return true }
        return info.transferError?.isCancellation == true
    }
}

extension NetworkServiceError: CustomStringConvertible, LocalizedError {
    /// All details, on one line.
    public var description: String { info.description }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
