import Foundation
import HTTPTypes
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The handling of a session's events.
extension URLSessionExchange {
    func sent(_ total: Int64) {
        update { $0.progress.sent(total) }
    }

    /// Records the requests that the task has sent. There are several if the session has repeated the request.
    func collected(_ metrics: URLSessionTaskMetrics) {
        guard metrics.transactionMetrics.contains(where: { $0.requestStartDate != nil }) else { return }
        update { $0.progress.sentRequest() }
    }

    /// - Throws: ``NetworkError/pinMismatch(_:)`` if the host has pins with which no certificates have been compared.
    func checkPins(of security: SessionSecurity, _ hasCompared: Bool) throws(NetworkError) {
        guard !security.pins.entries.isEmpty, let origin = try? Origin(of: request.head), origin.scheme == .https else {
            return
        }
        try security.pins.checkCompared(hasCompared, for: origin.host)
    }

    func received(_ response: URLResponse) {
        do throws(NetworkError) {
            let head = try SessionHead(response, answering: request.head.method, limits: limits)
            guard head.response.status.kind == .informational else { return update { $0.receivedHead(head) } }
            request.onInformational?(head.response)
            let limit = limits.informationalResponses
            update { $0.informational.append(head.response) }
            if read({ $0.informational.count > limit }) { throw .tooManyInformational(limit) }
        } catch {
            fail(error)
        }
    }

    func received(_ data: Data) {
        update { state in
            state.progress.received()
            state.incoming.append(data)
        }
        if let error = read({ [limits] in $0.sizeError(limits) }) { return fail(error) }
        pauseReading()
    }

    /// Handles the end of the task.
    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        if let error {
            let progress = read { $0.progress }
            var failure = NetworkError(sessionError: error, phase: progress.phase, host: request.head.authority ?? "")
            let isBeforeSending = (failure.failure.phase ?? .send) < .send
            failure.failure.mayHaveBeenSentEarlier = isBeforeSending && progress.hasSentRequest
            return fail(failure)
        }
        if read({ $0.head == nil }), let response { received(response) }
        let failure: NetworkError? = read { state in
            guard let head = state.head else { return .connectionLost("the connection ended before the response") }
            guard let length = head.length, state.incoming.received < length else { return nil }
            return .incompleteBody(
                NetworkFailure("\(state.incoming.received) of \(length) bytes of the body were received", phase: .body)
            )
        }
        end(failure.map { .failure($0) } ?? .success(()))
    }
}

extension URLSessionExchange.State {
    fileprivate mutating func receivedHead(_ head: SessionHead) {
        guard self.head == nil else { return }
        self.head = head
        progress.receivedHead()
    }

    /// Returns the error for a decoded body that exceeds a limit; `nil` if it does not.
    fileprivate func sizeError(_ limits: ResponseLimits) -> NetworkError? {
        guard head?.isDecoded == true, let limit = limits.decodedBytes, incoming.received > limit else { return nil }
        return .decodedTooLarge(Quantity.size(Int64(limit)))
    }
}

extension NetworkError {
    fileprivate static func decodedTooLarge(_ limit: String) -> NetworkError {
        .undecodableBody(NetworkFailure("the decoded body is larger than the limit of \(limit)", phase: .body))
    }

    fileprivate static func tooManyInformational(_ limit: Int) -> NetworkError {
        .invalidResponse(NetworkFailure("there were more than \(limit) informational responses", phase: .head))
    }
}
