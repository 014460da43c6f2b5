import Foundation
import SallyportTransport

extension TransferError {
    /// The error of an outcome that is not a success.
    init(_ outcome: Result<HttpResponse, NetworkError>) {
        switch outcome {
        case .success(let response) where response.status.isSuccess():
            let failure = NetworkFailure(
                "the server answered \(response.status.words), and that it does not have all of the upload",
                request: response.request.description,
                phase: .body
            )
            self.init(.network(.invalidResponse(failure)))
        case .success(let response): self.init(.status(response))
        case .failure(let error): self.init(error)
        }
    }

    /// An error of the body's own, such as that of its file, is not one of the network.
    init(_ error: NetworkError) {
        if let error = error.failure.underlying as? TransferError {
            self = error
        } else {
            self.init(.network(error))
        }
    }

    /// Whether the upload could not go on from where it is, however often it was tried.
    var isHopeless: Bool {
        switch reason {
        case .mismatch, .file: true
        case .status(let response): UploadReport(response.headers.fields).isComplete == true
        default: false
        }
    }

    /// The error, saying why the upload did not go on.
    func adding(_ problem: UploadProblem?) -> TransferError {
        guard let problem, case .network(var error) = reason else { return self }
        error.failure.reason += "; \(problem.reason)"
        return with(.network(error))
    }

    /// Returns the error with the advice to go on with the same journal.
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
    /// The error of an answer that cannot be.
    func error(of response: HttpResponse) -> TransferError {
        TransferError(.mismatch("\(response.request): \(reason); start the upload again"))
    }
}
