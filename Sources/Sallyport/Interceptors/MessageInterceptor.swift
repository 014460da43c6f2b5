import SallyportTransport

/// An interceptor that changes or checks requests and responses without waiting for anything.
///
/// It cannot lose a response, send a request twice or suspend, and costs less than another ``Interceptor``, because the client calls its
/// two functions directly. It can be added wherever an ``Interceptor`` can. Requests pass interceptors of both kinds in the order they were
/// added, and responses in the reverse order. Several built-in stages, such as cookies, standard headers and ``BasicAuthentication``, are
/// message interceptors.
///
/// ```swift
/// struct ApiVersion: MessageInterceptor {
///     func willSend(_ request: inout HttpRequest) {
///         request.setHeader(name: "X-API-Version", value: "7")
///     }
///
///     func didReceive(_ response: inout HttpResponse, for request: HttpRequest) throws {
///         if response.getHeader(name: "X-API-Version") != "7" { throw UnsupportedVersion() }
///     }
/// }
/// config.addInterceptor(ApiVersion())
/// ```
///
/// Both functions have a default implementation that does nothing. Neither may block. Do not implement
/// ``Interceptor/intercept(_:next:)``: a client does not call it.
public protocol MessageInterceptor: Interceptor {
    /// Changes a request before it is sent, or refuses it by throwing an error.
    ///
    /// - Parameter request: The request, as changed by the previous interceptors.
    /// - Throws: ``NetworkError``. The caller receives any other error as ``NetworkError/networkError(_:)``.
    func willSend(_ request: inout HttpRequest) throws

    /// Changes a response, or refuses it by throwing an error. It is not called if a later stage throws an error.
    ///
    /// If the body of the response is streamed, it has not been read yet; see ``HttpResponse/bodyStream``.
    ///
    /// - Parameters:
    ///   - response: The response, as changed by the later interceptors.
    ///   - request: The request, as this interceptor has changed it. Later stages may have changed it further; see
    ///     ``HttpResponse/request``.
    /// - Throws: ``NetworkError``. The caller receives any other error as ``NetworkError/networkError(_:)``.
    func didReceive(_ response: inout HttpResponse, for request: HttpRequest) throws
}

extension MessageInterceptor {
    /// Does nothing.
    public func willSend(_ request: inout HttpRequest) throws {}

    /// Does nothing.
    public func didReceive(_ response: inout HttpResponse, for request: HttpRequest) throws {}

    /// Calls the two functions, for an interceptor that contains this one.
    ///
    /// A client calls the two functions instead, so it ignores another implementation of this method.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var request = request
        try willSend(&request)
        var response = try await next(request)
        try didReceive(&response, for: request)
        return response
    }
}
