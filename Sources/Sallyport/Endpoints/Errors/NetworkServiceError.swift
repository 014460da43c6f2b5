import Foundation
import SallyportTransport

/// Why a call of a service failed.
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
    /// The configuration cannot be used; nothing was sent.
    case invalidConfiguration(NetworkServiceErrorInfo)
    /// The endpoint's path, parameters or body cannot be sent; nothing was sent.
    case invalidEndpoint(NetworkServiceErrorInfo)
    /// No answer came: ``NetworkServiceErrorInfo/networkError`` says how far it got.
    case callFailed(NetworkServiceErrorInfo)
    /// The server answered with a status that is no success, perhaps with a message.
    case refused(NetworkServiceErrorInfo)
    /// The answer is of another media type than was asked for.
    case unexpectedContentType(NetworkServiceErrorInfo)
    /// The answer is not what the endpoint says: ``NetworkServiceErrorInfo/decoding`` says where.
    case undecodable(NetworkServiceErrorInfo)
    /// The answer has nothing in it of what was asked for, perhaps a message instead.
    case missingBody(NetworkServiceErrorInfo)
    /// An upload or a download failed: ``NetworkServiceErrorInfo/transferError`` says what was kept.
    case transferFailed(NetworkServiceErrorInfo)

    /// What is known of the failure.
    public var info: NetworkServiceErrorInfo {
        switch self {
        case .invalidConfiguration(let info), .invalidEndpoint(let info), .callFailed(let info), .refused(let info),
            .unexpectedContentType(let info), .undecodable(let info), .missingBody(let info),
            .transferFailed(let info):
            info
        }
    }

    /// Whether it ended by a cancellation.
    public var isCancellation: Bool {
        if case .cancelled = info.networkError { return true }
        return info.transferError?.isCancellation == true
    }
}

extension NetworkServiceError: CustomStringConvertible, LocalizedError {
    /// All that is known, in one line.
    public var description: String { info.description }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
