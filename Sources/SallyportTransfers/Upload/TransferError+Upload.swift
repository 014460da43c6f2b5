import Foundation
import Sallyport
import SallyportTransport

extension TransferError {
    /// Creates the error of an outcome that does not complete the transfer.
    init(_ outcome: Result<HttpResponse, NetworkError>) {
        switch outcome {
        case .success(let response) where response.status.isSuccess():
            let failure = NetworkFailure(
                "the server answered \(response.statusSummary), but has not received all of the upload",
                request: response.request.description,
                phase: .body
            )
            self.init(.network(.invalidResponse(failure)))
        case .success(let response): self.init(.status(response))
        case .failure(let error): self.init(error)
        }
    }

    /// Creates the error of a failed call. If its cause is a ``TransferError`` of the request body, such as an
    /// unreadable file, the result is that error.
    init(_ error: NetworkError) {
        if let error = error.failure.underlying as? TransferError {
            self = error
        } else {
            self.init(.network(error))
        }
    }

    /// A Boolean value that indicates whether continuing the upload would fail again.
    var isHopeless: Bool {
        switch reason {
        case .mismatch, .file: true
        case .status(let response): UploadReport(response.headers.fields).isComplete == true
        default: false
        }
    }

    /// Returns the error with the reason why the upload did not continue.
    func adding(_ problem: UploadProblem?) -> TransferError {
        guard let problem, case .network(var error) = reason else { return self }
        error.failure.reason += "; \(problem.reason)"
        return with(.network(error))
    }

    /// Returns the error with the advice to continue with the same journal.
    func addingResumption() -> TransferError {
        guard case .network(var error) = reason else { return self }
        let advice = SettingAdvice.sameJournal.rawValue
        error.failure.advice = error.failure.advice.map { "\($0); \(advice)" } ?? advice
        return with(.network(error))
    }

    private func with(_ reason: Reason) -> TransferError {
        var changed = self
        changed.reason = reason
        return changed
    }
}

extension UploadProblem {
    /// Returns the error of a response that contradicts the protocol.
    func error(of response: HttpResponse) -> TransferError {
        TransferError(.mismatch("\(response.request): \(reason); start the upload again"))
    }
}
