import SallyportTransport

/// The last stage of a client that sends its requests with a client of the app.
struct SenderStage: Interceptor {
    let sender: any HttpClientProtocol
    let maximumBodySize: Int

    var traceName: String { "\(type(of: sender))" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let head = try request.head()
        let origin = try Origin(of: head)
        // The app's client resolves the name and chooses a proxy, so only the name decides, as with URLSession.
        if request.requiresSecureTransport, origin.scheme == .http, !origin.isLoopback {
            throw NetworkError.cleartext(to: origin)
        }
        let timeouts = try next.call.remaining(of: request.timeouts(orElse: Timeouts()))
        var request = request.sent(as: head)
        request.timeouts = timeouts
        request.timeout = timeouts.total.map { TimeLimit.seconds($0) }
        return try await send(request, next, limit: timeouts.total ?? Self.longestCall)
    }

    /// The limit for a request without one: a year.
    private static let longestCall = Duration.seconds(31_536_000)

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
                    let reason = "the call took longer than its limit of \(limit)"
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
