import HTTPTypes
import Sallyport
import Tracing

/// Measures each request that is sent, and creates its span.
struct RequestTelemetry: Interceptor {
    let metrics: RequestMetrics?
    let tracing: RequestTracing?

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        // An invalid request is refused by a later stage, and nothing is sent.
        guard let head = try? request.head(), let server = ServerOrigin(of: head) else {
            return try await next(request)
        }
        var request = request
        let span = tracing?.start(&request, head, to: server)
        let measurement = metrics?.start(head.method, to: server)
        do {
            let response = try await send(request, in: span, by: next)
            let (status, connection) = (response.status, response.connection)
            return response.onEnd { error in
                measurement?.end(Outcome(status, error), connection)
                span?.end(status, connection, error)
            }
        } catch {
            let error = NetworkError(wrapping: error, reason: "the request failed")
            measurement?.end(.failed(error.kind), nil)
            span?.end(nil, nil, error)
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

/// Measures each call of the app, including all its requests.
struct CallTelemetry: Interceptor {
    let metrics: RequestMetrics

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let start = ContinuousClock.now
        let server = (try? request.head()).flatMap { ServerOrigin(of: $0) }
        let method = request.getMethod()
        let metrics = metrics
        do {
            let response = try await next(request)
            let status = response.status
            return response.onEnd { error in
                metrics.callEnded(method, to: server, Outcome(status, error), after: .now - start)
            }
        } catch {
            let kind = NetworkError(wrapping: error, reason: "the call failed").kind
            metrics.callEnded(method, to: server, .failed(kind), after: .now - start)
            throw error
        }
    }
}

extension ServerOrigin {
    init?(of head: HTTPRequest) {
        guard let origin = try? Origin(of: head) else { return nil }
        self.init(origin)
    }
}
