import SallyportTransport

extension HttpClient {
    /// Builds and sends a request, and passes its response to a closure as soon as the head has been received.
    ///
    /// The closure reads the body in chunks, at its own pace. The unread rest is discarded. The total duration of the call is not
    /// limited unless the request sets a timeout. The client's timeout limits the wait for the head, and its idle timeout the pauses
    /// in the body.
    ///
    /// ```swift
    /// let size = try await client.stream { request in
    ///     request.url = "https://example.com/large"
    /// } handle: { response in
    ///     var size = 0
    ///     for try await chunk in response.bodyStream { size += chunk.count }
    ///     return size
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - builder: A closure that builds the request, on the actor of the caller.
    ///   - handle: A closure that reads the response, on the actor of the caller.
    /// - Returns: The value that `handle` returns.
    /// - Throws: ``NetworkError``, or the error that `handle` throws.
    public nonisolated(nonsending) func stream<Result>(
        _ builder: (inout HttpRequest) -> Void,
        handle: (HttpResponse) async throws -> Result
    ) async throws -> Result {
        var request = request()
        builder(&request)
        return try await stream(request: request, handle: handle)
    }

    /// Sends a request, and passes its response to a closure as soon as the head has been received; see ``stream(_:handle:)``.
    public nonisolated(nonsending) func stream<Result>(
        request: HttpRequest,
        handle: (HttpResponse) async throws -> Result
    ) async throws -> Result {
        do {
            return try await withExchangeScope { scope in
                try await handle(send(request, in: scope))
            }
        } catch let error as NetworkError {
            throw error.naming(request.description)
        }
    }
}

extension HttpClient {
    /// The client's timeouts for a streamed response.
    package var streamTimeouts: Timeouts { configuration.timeouts.forStream }
}

extension Timeouts {
    /// The timeouts without a total, which limits the head instead.
    var forStream: Timeouts {
        var timeouts = self
        timeouts.head = timeouts.head ?? timeouts.total
        timeouts.total = nil
        return timeouts
    }
}
