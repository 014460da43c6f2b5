extension NetworkService {
    /// Calls an endpoint, and gives its typed answer or the error to a closure.
    ///
    /// The closure is called once, whatever happens, on no particular thread. The call keeps the service until then;
    /// ``cancelCurrentRequest()`` and ``invalidate()`` cancel it.
    ///
    /// ```swift
    /// service.call(SearchUsers(name: "Ada")) { result in
    ///     Task { @MainActor in show(result) }
    /// }
    /// ```
    ///
    /// - Returns: The call's task, to cancel it alone.
    @discardableResult
    public func call<E: Endpoint>(
        _ endpoint: E,
        completion: @escaping @Sendable (Result<E.Response, NetworkServiceError>) -> Void
    ) -> Task<Void, Never> {
        calls.start { completion(await self.result(of: endpoint).map(\.value)) }
    }
}
