import SallyportTransport

/// The last stage of a client that sends its requests with a client of the app.
struct SenderStage: Interceptor {
    /// The time within which a client of the app has to respond to a request without a total timeout: an hour.
    static let longestWait = Duration.seconds(3_600)

    private let sender: any HttpClientProtocol
    private let maximumBodySize: Int
    private let plainHTTP: PlainHTTPRule
    /// The time within which the client has to respond to a request without a total timeout.
    private let longestWait: Duration

    init(_ sender: any HttpClientProtocol, _ configuration: HttpClientConfiguration) {
        self.sender = sender
        maximumBodySize = configuration.maximumBodySize
        plainHTTP = PlainHTTPRule(configuration)
        longestWait = configuration.longestWaitForSender
    }

    var traceName: String { "\(type(of: sender))" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        // In a trace, the client of the app takes the place of the transport.
        let trace = next.call.trace
        trace?.pass(request)
        let attempt = trace?.recorder.send(request)
        do throws(NetworkError) {
            let response = try await send(request, next)
            return attempt?.answer(response, in: next.call.scope) ?? response
        } catch {
            attempt?.fail(error)
            throw error
        }
    }

    private func send(_ request: HttpRequest, _ next: Next) async throws(NetworkError) -> HttpResponse {
        let target = try request.target()
        let origin = try Origin(of: request.head(to: target))
        // The app's client resolves the name and chooses a proxy, so only the name decides, as with URLSession.
        if request.requiresSecureTransport, origin.scheme == .http, !origin.isLoopback {
            throw .cleartext(to: origin)
        }
        let isConfined = try plainHTTP.confines(target)
        let timeouts = try next.call.remaining(of: request.effectiveTimeouts)
        var outgoing = request.sent(to: target)
        outgoing.timeouts = timeouts
        outgoing.timeout = timeouts.total.map { TimeLimit.seconds($0) }
        outgoing.hasPassedClient = true
        if isConfined { outgoing.requiresSecureTransport = true }
        // This client makes the attempts of the request's policy.
        if outgoing.retry != nil { outgoing.retry = .never }
        var response = try await send(outgoing, next, limit: timeouts.total ?? longestWait)
        // The app may send the response's request again, with this client.
        response.request.hasPassedClient = request.hasPassedClient
        response.request.retry = request.retry
        return response
    }

    /// Sends a request, and waits for the response until a limit has passed or this client, which may be derived, is closed.
    private func send(
        _ request: HttpRequest,
        _ next: Next,
        limit: Duration
    ) async throws(NetworkError) -> HttpResponse {
        let outcome = await withTaskGroup(of: Result<HttpResponse, NetworkError>.self) { group in
            group.addTask {
                do throws(NetworkError) {
                    return .success(try await send(request, in: next.call.scope))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do throws(NetworkError) {
                    try await next.wait(for: limit)
                    let reason = "the call took longer than its limit of \(Quantity.time(limit))"
                    return .failure(.timeout(NetworkFailure(reason, advice: SettingAdvice.raiseTotal.rawValue)))
                } catch {
                    return .failure(error)
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled("the task was cancelled"))
        }
        return try outcome.get()
    }

    private func send(_ request: HttpRequest, in scope: ExchangeScope?) async throws(NetworkError) -> HttpResponse {
        if let scope { return try await sender.send(request, in: scope) }
        return try await sender.request(request: request).collected(upTo: maximumBodySize)
    }
}

/// Closes the client of the app together with the client that sends its requests with it. No request reaches this transport, because
/// ``SenderStage`` sends all of them.
struct SenderTransport: Transport {
    let sender: any HttpClientProtocol

    func send(_ request: TransportRequest, in scope: ExchangeScope) async throws(NetworkError) -> TransportResponse {
        throw .invalidRequest("the request was not sent with the client of the app")
    }

    func close() { sender.close() }

    /// Closes the client at once, as it has no other way to end.
    func shutdown(grace: Duration) async { sender.close() }
}
