import SallyportTransport

extension NetworkError {
    /// What each stage changed of the request up to the failure; `nil` unless ``HttpRequest/isTraced`` asked for it.
    public var trace: InterceptorTrace? { (failure.attachment as? AttachedTrace)?.trace }

    func carrying(_ trace: InterceptorTrace) -> NetworkError {
        var error = self
        error.failure.attachment = AttachedTrace(trace)
        return error
    }
}

/// A trace as it hangs on an error, which is passed around too often to be made larger by it.
private final class AttachedTrace: Sendable {
    let trace: InterceptorTrace

    init(_ trace: InterceptorTrace) {
        self.trace = trace
    }
}
