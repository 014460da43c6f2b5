import HTTPTypes
import SallyportTransport

/// The last stage of the pipeline: passes a request to the transport and returns its response.
struct TransportStage: Sendable {
    private let transport: any Transport
    private let maximumBodySize: Int
    /// `true` if a stage may need the complete body of a response that an earlier stage discards, for example to decrypt it.
    private let needsCompleteBodies: Bool
    private let plainHTTP: PlainHTTPRule

    init(transport: any Transport, _ configuration: HttpClientConfiguration) {
        self.transport = transport
        maximumBodySize = configuration.maximumBodySize
        needsCompleteBodies = !configuration.sealing.isEmpty || !configuration.wireInterceptors.isEmpty
        plainHTTP = PlainHTTPRule(configuration)
    }

    nonisolated(nonsending) func send(
        _ request: HttpRequest,
        of call: Call
    ) async throws(NetworkError) -> HttpResponse {
        let prepared = try prepare(request, of: call)
        let response: HttpResponse
        do throws(NetworkError) {
            if let scope = call.scope {
                response = try await send(prepared, in: scope)
            } else {
                response = try await withExchangeScope { scope throws(NetworkError) in
                    // With a variable for the response, there would be two references to it, and adding the body would copy it.
                    if call.capturesEncodedBody || call.discards != nil && !needsCompleteBodies {
                        return try await send(prepared, in: scope).collected(upTo: maximumBodySize, of: call)
                    }
                    return try await send(prepared, in: scope).collected(upTo: maximumBodySize)
                }
            }
        } catch {
            let error = error.masking(secretsOf: prepared.request)
            prepared.tracedAttempt?.fail(error)
            throw error
        }
        if let attempt = prepared.tracedAttempt { return attempt.answer(response, in: call.scope) }
        return response
    }

    /// A request that is ready for the transport.
    private struct Prepared: Sendable {
        /// The request as the response refers to it.
        let request: HttpRequest
        let outgoing: TransportRequest
        /// The attempt in the trace of the call, if it is traced.
        let tracedAttempt: TracedAttempt?
    }

    // Not inlined: all local values of an asynchronous function belong to its frame, which a waiting call keeps.
    @inline(never)
    private func prepare(_ request: HttpRequest, of call: Call) throws(NetworkError) -> Prepared {
        let attempt = call.trace?.recorder.send(request)
        let target = try request.target()
        let head = try request.head(to: target)
        let isConfined = try plainHTTP.confines(target)
        let request = request.sent(to: target)
        let outgoing = TransportRequest(
            head: head,
            body: request.body,
            timeouts: try call.remaining(of: request.effectiveTimeouts),
            expectsContinue: request.expectsContinue,
            requiresSecureTransport: isConfined || request.requiresSecureTransport,
            withholdsClientIdentity: request.firstOrigin.map { $0 != target.origin } ?? false,
            trailers: request.trailers,
            onInformational: request.informationalHandler
        )
        return Prepared(request: request, outgoing: outgoing, tracedAttempt: attempt)
    }

    // Not inlined, so that the frame of its caller does not contain it twice.
    @inline(never)
    private nonisolated(nonsending) func send(
        _ prepared: Prepared,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> HttpResponse {
        HttpResponse(try await transport.send(prepared.outgoing, in: scope), to: prepared.request)
    }
}

extension HttpRequest {
    /// Returns the request with the URL of its ``target()``, which contains its parameters.
    func sent(to target: RequestTarget) -> HttpRequest {
        if target.url == url, parameters.isEmpty { return self }
        var sent = self
        sent.url = target.url
        sent.parameters = []
        return sent
    }

    /// A closure that passes informational responses to both handlers. The app's is called last, so that it sees the effects of the
    /// other, such as stored cookies.
    fileprivate var informationalHandler: (@Sendable (HTTPResponse) -> Void)? {
        guard let first = onInformationalFrom else { return onInformational }
        return { [onInformational, url = url ?? ""] response in
            first(response, url)
            onInformational?(response)
        }
    }
}
