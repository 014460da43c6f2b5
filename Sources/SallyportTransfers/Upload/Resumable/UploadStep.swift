import Foundation
import Sallyport
import SallyportTransport

/// The result of one attempt of an upload.
enum UploadStep: Sendable {
    /// The upload has arrived; this is the final response.
    case arrived(HttpResponse)
    /// The attempt failed, but the upload may be continued or repeated.
    case interrupted(Result<HttpResponse, NetworkError>)
    /// The server has lost the upload.
    case lost(HttpResponse)
    /// The upload has failed.
    case failed(TransferError)
}

extension UploadStep {
    /// Returns the result of the first request, or of the last part.
    ///
    /// - Parameters:
    ///   - isResumable: If `true`, the server keeps the bytes it has received.
    ///   - isComplete: If `true`, all bytes have been sent.
    static func end(
        _ outcome: Result<HttpResponse, NetworkError>,
        isResumable: Bool,
        isComplete: Bool,
        length: Int64?,
        _ policy: RetryPolicy
    ) -> UploadStep {
        guard case .success(let response) = outcome else { return broken(outcome, isResumable: isResumable, policy) }
        let report = UploadReport(response.headers.fields)
        if response.status.isSuccess() {
            if isResumable, report.isComplete == false || (report.isComplete == nil && !isComplete) {
                return .interrupted(outcome)
            }
            guard isResumable, let offset = report.offset, let length, offset != length else {
                return .arrived(response)
            }
            let problem = "the server states that it has \(offset) bytes, but there are \(length)"
            return .failed(TransferError(.mismatch("\(response.request): \(problem)")))
        }
        if !isResumable { return .interrupted(outcome) }
        // This is the final response to the upload: sending the bytes again would not change it.
        if report.isComplete == true { return .failed(TransferError(.status(response))) }
        return refused(response, policy)
    }

    /// Returns the result of a response without a success status.
    static func refused(_ response: HttpResponse, _ policy: RetryPolicy) -> UploadStep {
        switch response.status.code {
        case 404, 410: return .lost(response)
        // Another request for the upload is in progress, or was received first: the offset must be requested.
        case 409: return .interrupted(.success(response))
        case 400 where response.isCompletedUpload: return .interrupted(.success(response))
        case let code where policy.statuses.contains(code): return .interrupted(.success(response))
        default: return .failed(TransferError(.status(response)))
        }
    }

    /// Returns the result of a request that failed.
    static func broken(
        _ outcome: Result<HttpResponse, NetworkError>,
        isResumable: Bool,
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
    /// A Boolean value that indicates whether the problem (RFC 9457) is that bytes were sent to an upload that is
    /// complete.
    fileprivate var isCompletedUpload: Bool {
        struct Problem: Decodable { let type: String }
        guard let body, body.count <= 64 << 10 else { return false }
        let problem = try? JSONDecoder().decode(Problem.self, from: body)
        return problem?.type == "https://iana.org/assignments/http-problem-types#completed-upload"
    }
}
