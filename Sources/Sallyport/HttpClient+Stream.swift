import SallyportTransport

extension HttpClient {
    /// Builds and sends a request, and hands over its response as soon as the head is there.
    ///
    /// The body is read in chunks inside the closure, at the closure's pace; what it leaves is given up. The call as a
    /// whole has no limit of time unless the request sets one: the head must come within the client's timeout, and
    /// bytes must keep coming.
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
    ///   - builder: Builds the request, on the actor of the caller.
    ///   - handle: Reads the response, on the actor of the caller.
    /// - Returns: What `handle` returns.
    /// - Throws: ``NetworkError``, or what `handle` throws.
    public nonisolated(nonsending) func stream<Result>(
        _ builder: (inout HttpRequest) -> Void,
        handle: (HttpResponse) async throws -> Result
    ) async throws -> Result {
        var request = request()
        builder(&request)
        return try await stream(request: request, handle: handle)
    }

    /// Sends a request, and hands over its response as soon as the head is there; see ``stream(_:handle:)``.
    public nonisolated(nonsending) func stream<Result>(
        request: HttpRequest,
        handle: (HttpResponse) async throws -> Result
    ) async throws -> Result {
        var request = request
        if request.timeout == nil, request.timeouts == nil { request.timeouts = streamTimeouts }
        do {
            return try await withExchangeScope { scope in
                try await handle(send(request, in: scope))
            }
        } catch let error as NetworkError {
            throw error.naming(request.description)
        }
    }

    /// The client's limits on an answer that is read as it comes.
    var streamTimeouts: Timeouts { configuration.timeouts.forStream }
}

extension Timeouts {
    /// Without the limit on the whole, which becomes the one on the head.
    var forStream: Timeouts {
        var timeouts = self
        timeouts.head = timeouts.head ?? timeouts.total
        timeouts.total = nil
        return timeouts
    }
}
