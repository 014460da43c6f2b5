extension HttpClientConfiguration {
    /// Adds middleware, which changes the requests that the SDK itself sends; see ``RequestMiddleware``.
    ///
    /// It comes after the ``RequestInterceptor``s, in the order in which it was added.
    ///
    /// - Parameters:
    ///   - middleware: The closure.
    ///   - file: Where it is added, for a trace.
    ///   - line: Where it is added, for a trace.
    public mutating func addMiddleware(
        _ middleware: @escaping RequestMiddleware,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.middleware.append(NamedMiddleware(name: "middleware at \(file):\(line)", run: middleware))
    }
}

extension HttpClient {
    /// The interceptors of this client's calls; see ``HttpClientConfiguration/requestInterceptors``.
    public var requestInterceptors: RequestInterceptorRegistry { configuration.requestInterceptors }
}
