import HTTPTypes
import SallyportTransport

/// The last stage of the pipeline: passes a request to the transport and returns its response.
struct TransportStage: Sendable {
    let transport: any Transport
    let maximumBodySize: Int

    func send(_ request: HttpRequest, of call: Call) async throws(NetworkError) -> HttpResponse {
        let attempt = call.trace?.recorder.send(request)
        let target = try request.target()
        let head = try request.head(to: target)
        let request = request.sent(to: target)
        let timeouts = try call.remaining(of: request.timeouts(orElse: Timeouts()))
        let response: HttpResponse
        if let scope = call.scope {
            response = try await send(request, head, timeouts, in: scope)
        } else {
            response = try await withExchangeScope { scope throws(NetworkError) in
                let response = try await send(request, head, timeouts, in: scope)
                if call.capturesEncodedBody { return try await response.capturedAndCollected(upTo: maximumBodySize) }
                return try await response.collected(upTo: maximumBodySize)
            }
        }
        if let attempt { call.trace?.recorder.answer(response.status, to: attempt) }
        return response
    }

    private func send(
        _ request: HttpRequest,
        _ head: HTTPRequest,
        _ timeouts: Timeouts,
        in scope: ExchangeScope
    ) async throws(NetworkError) -> HttpResponse {
        let outgoing = TransportRequest(
            head: head,
            body: request.body,
            timeouts: timeouts,
            expectsContinue: request.expectsContinue,
            requiresSecureTransport: request.requiresSecureTransport,
            trailers: request.trailers,
            onInformational: request.informationalHandler
        )
        return HttpResponse(try await transport.send(outgoing, in: scope), to: request)
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
