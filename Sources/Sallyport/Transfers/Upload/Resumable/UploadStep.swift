import Foundation
import SallyportTransport

/// What came of one exchange of an upload.
enum UploadStep: Sendable {
    /// It has arrived; this is the server's answer.
    case arrived(HttpResponse)
    /// It broke, but may go on, or be sent once more.
    case interrupted(Result<HttpResponse, NetworkError>)
    /// The server has forgotten what it had.
    case forgotten(HttpResponse)
    /// It is over.
    case failed(TransferError)
}

extension UploadStep {
    /// What follows from the outcome of the first request, or of the last part.
    ///
    /// - Parameters:
    ///   - isResumable: Whether the server keeps what it has.
    ///   - isComplete: Whether all has been sent.
    static func end(
        _ outcome: Result<HttpResponse, NetworkError>,
        isResumable: Bool,
        isComplete: Bool,
        length: Int64?,
        _ policy: RetryPolicy
    ) -> UploadStep {
        guard case .success(let response) = outcome else { return broken(outcome, isResumable, policy) }
        let report = UploadReport(response.headers.fields)
        if response.status.isSuccess() {
            if isResumable, report.isComplete == false || (report.isComplete == nil && !isComplete) {
                return .interrupted(outcome)
            }
            guard isResumable, let offset = report.offset, let length, offset != length else {
                return .arrived(response)
            }
            let problem = "the server says that it took \(offset) bytes, but there are \(length)"
            return .failed(TransferError(.mismatch("\(response.request): \(problem)")))
        }
        if !isResumable { return .interrupted(outcome) }
        // The answer of what the upload was for: to send the bytes again would not change it.
        if report.isComplete == true { return .failed(TransferError(.status(response))) }
        return refused(response, policy)
    }

    /// What follows from an answer that is no success, and concerns the upload as such.
    static func refused(_ response: HttpResponse, _ policy: RetryPolicy) -> UploadStep {
        switch response.status.code {
        case 404, 410: return .forgotten(response)
        // Another request to it is still going on, or came first: the server says how much it has.
        case 409: return .interrupted(.success(response))
        case 400 where response.isCompletedUpload: return .interrupted(.success(response))
        case let code where policy.statuses.contains(code): return .interrupted(.success(response))
        default: return .failed(TransferError(.status(response)))
        }
    }

    /// What follows from an outcome that is no success.
    static func broken(
        _ outcome: Result<HttpResponse, NetworkError>,
        _ isResumable: Bool,
        _ policy: RetryPolicy
    ) -> UploadStep {
        guard isResumable else { return .interrupted(outcome) }
        guard case .failure(let error) = outcome, let kind = RetryPolicy.ErrorKind(error),
            policy.errors.contains(kind)
        else { return .failed(TransferError(outcome)) }
        return .interrupted(outcome)
    }
}

extension HttpResponse {
    /// Whether it is the problem (RFC 9457) of having sent more to an upload that is complete.
    fileprivate var isCompletedUpload: Bool {
        struct Problem: Decodable { let type: String }
        guard let body, body.count <= 64 << 10 else { return false }
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        return problem?.type == "https://iana.org/assignments/http-problem-types#completed-upload"
    }
}
