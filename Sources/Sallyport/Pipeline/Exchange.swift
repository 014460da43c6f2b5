import HTTPTypes
import SallyportTransport

/// The end of the pipeline: one request handed to the transport, one response taken from it.
struct Exchange: Sendable {
    let transport: any Transport
    let maximumBodySize: Int

    func send(_ request: HttpRequest, of call: Call) async throws(NetworkError) -> HttpResponse {
        let head = try request.head()
        let timeouts = try call.remaining(of: request.timeouts(orElse: Timeouts()))
        if let scope = call.scope { return try await send(request, head, timeouts, in: scope) }
        return try await withExchangeScope { scope throws(NetworkError) in
            try await send(request, head, timeouts, in: scope).collected(upTo: maximumBodySize)
        }
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
    /// The request with the URL under which it was sent.
    func sent(as head: HTTPRequest) -> HttpRequest {
        var sent = self
        sent.url = (head.scheme ?? "") + "://" + (head.authority ?? "") + (head.path ?? "")
        if !parameters.isEmpty { sent.parameters = [] }
        return sent
    }

    /// Tells both who want to know of informational responses; the app last, which may act on what is known by then.
    fileprivate func informationalHandler(as head: HTTPRequest) -> (@Sendable (HTTPResponse) -> Void)? {
        guard let tell = onInformationalFrom else { return onInformational }
        let url = sent(as: head).url ?? ""
        return { [onInformational] response in
            tell(response, url)
            onInformational?(response)
        }
    }
}
