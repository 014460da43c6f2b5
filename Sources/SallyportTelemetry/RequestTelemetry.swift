import Sallyport
import Tracing

/// Measures each request that is sent, and creates its span.
struct RequestTelemetry: Interceptor {
    let metrics: RequestMetrics?
    let tracing: RequestTracing?
    let knownMethods: Set<String>

    private var recordsBodySizes: Bool {
        metrics != nil || tracing?.options.attributes.contains(.bodySizes) == true
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        // An invalid request is refused by a later stage, and nothing is sent.
        let facts = await RequestFacts(request, knownMethods: knownMethods, recordsBodySize: recordsBodySizes)
        guard let facts else { return try await next(request) }
        var request = request
        let call = CallRecord.current
        let resendCount = call?.begin(request.action?.type) ?? 0
        let span = tracing?.start(&request, facts, resendCount: resendCount)
        let record = RequestRecord(facts, metrics, tracing, span)
        do {
            let response = try await send(request, in: span, by: next)
            let received = ResponseFacts(response)
            if Redirect.target(of: response) != nil { call?.hold(record) }
            return response.onEnd { error, size in
                record.end(received.with(bodySize: size), error)
            }
        } catch {
            let failed = NetworkError(wrapping: error, reason: "the request failed")
            record.end(ResponseFacts(failed.failure), failed)
            throw error
        }
    }

    /// Sends the request within the context of its span.
    private func send(
        _ request: HttpRequest,
        in span: (any Tracing.Span)?,
        by next: Next
    ) async throws -> HttpResponse {
        guard let span else { return try await next(request) }
        return try await ServiceContext.withValue(span.context) { try await next(request) }
    }
}
