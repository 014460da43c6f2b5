import HTTPTypes
import SallyportTransport

/// The last stage of the pipeline: passes a request to the transport and returns its response.
struct TransportStage: Sendable {
    let transport: any Transport
    let maximumBodySize: Int

    func send(_ request: HttpRequest, of call: Call) async throws(NetworkError) -> HttpResponse {
        let attempt = call.trace?.recorder.send(request)
        let head = try request.head()
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
            onInformational: request.informationalHandler(as: head)
        )
        return HttpResponse(try await transport.send(outgoing, in: scope), to: request.sent(as: head))
    }
}

extension HttpRequest {
    /// Returns the request with the URL to which it was sent.
    func sent(as head: HTTPRequest) -> HttpRequest {
        let url = (head.scheme ?? "") + "://" + (head.authority ?? "") + (head.path ?? "")
        if url == self.url, parameters.isEmpty { return self }
        var sent = self
        sent.url = url
        sent.parameters = []
        return sent
    }

    /// Returns a closure that passes informational responses to both handlers. The app's is called last, so that it sees the effects of the
    /// other, such as stored cookies.
    fileprivate func informationalHandler(as head: HTTPRequest) -> (@Sendable (HTTPResponse) -> Void)? {
        guard let first = onInformationalFrom else { return onInformational }
        let url = sent(as: head).url ?? ""
        return { [onInformational] response in
            first(response, url)
            onInformational?(response)
        }
    }
}
