import SallyportTransport
import Testing

/// The cases of `NetworkError` without their associated values.
enum FailureKind: String, Sendable {
    case invalidRequest, networkUnavailable, hostNotFound, connectionFailed, tlsFailed, certificateRefused, pinMismatch
    case timeout, connectionLost, incompleteBody, invalidResponse, undecodableBody, responseTooLarge, tooManyRedirects
    case cancelled, clientClosed, networkError

    init(_ error: NetworkError) {
        self =
            switch error {
            case .invalidRequest: .invalidRequest
            case .networkUnavailable: .networkUnavailable
            case .hostNotFound: .hostNotFound
            case .connectionFailed: .connectionFailed
            case .tlsFailed: .tlsFailed
            case .certificateRefused: .certificateRefused
            case .pinMismatch: .pinMismatch
            case .timeout: .timeout
            case .connectionLost: .connectionLost
            case .incompleteBody: .incompleteBody
            case .invalidResponse: .invalidResponse
            case .undecodableBody: .undecodableBody
            case .responseTooLarge: .responseTooLarge
            case .tooManyRedirects: .tooManyRedirects
            case .cancelled: .cancelled
            case .clientClosed: .clientClosed
            case .networkError: .networkError
            }
    }
}

/// Expects a closure to fail with one of several kinds of `NetworkError`.
///
/// A case specifies several kinds if URLSession reports the failure in less detail than the engine does, or if the
/// failure depends on whether the end of a connection or its reset is noticed first.
///
/// - Returns: The failure, for further expectations.
@discardableResult
func expectFailure(
    _ kinds: FailureKind...,
    phase: ExchangePhase? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Sendable
) async -> NetworkFailure? {
    let wanted = kinds.map(\.rawValue).joined(separator: " or ")
    do {
        let result = try await body()
        Issue.record("no failure, though \(wanted) was expected: \(result)", sourceLocation: sourceLocation)
    } catch let error as NetworkError {
        let kind = FailureKind(error)
        #expect(kinds.contains(kind), "\(wanted) was expected: \(kind): \(error)", sourceLocation: sourceLocation)
        if let phase { #expect(error.failure.phase == phase, "\(error)", sourceLocation: sourceLocation) }
        return error.failure
    } catch {
        Issue.record("\(wanted) was expected, not \(type(of: error)): \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
