import SallyportTransport

extension RetryPolicy {
    /// Whether an outcome is worth another attempt, and the request may be repeated after it.
    func covers(_ outcome: Result<HttpResponse, NetworkError>, of request: HttpRequest) -> Bool {
        switch outcome {
        case .success(let response):
            return statuses.contains(response.status.code) && isRepeatable(request)
        case .failure(let error):
            guard let kind = ErrorKind(error), errors.contains(kind) else { return false }
            return isRepeatable(request) || error.leftNothing(of: request)
        }
    }

    /// Whether a request may be sent again though the server may have had it.
    func isRepeatable(_ request: HttpRequest) -> Bool {
        methods.contains(request.getMethod()) || IdempotencyKey.isSet(on: request)
    }
}

extension NetworkError {
    /// Whether the server cannot have seen anything of the request.
    ///
    /// The failure has to be about this request, as the one before a redirect has been answered already.
    fileprivate func leftNothing(of request: HttpRequest) -> Bool {
        if let failed = failure.request, failed != request.description { return false }
        switch self {
        case .hostNotFound, .connectionFailed, .tlsFailed: return true
        default: return failure.phase.map { $0 < .send } ?? false
        }
    }
}
