import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Returns the head that is sent. This is the only function that creates heads.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for the first invalid value in the request.
    public func head() throws(NetworkError) -> HTTPRequest {
        try head(to: target())
    }

    /// Returns the parts of the URL that are sent.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` for the first invalid value in the request.
    func target() throws(NetworkError) -> RequestTarget {
        if let problem = problems.first { throw .invalidRequest(problem) }
        return try RequestTarget(url: url, parameters: parameters)
    }

    /// Returns the head for the request's ``target()``.
    func head(to target: RequestTarget) throws(NetworkError) -> HTTPRequest {
        try checkMethod()
        if let cookieOrigin { try check("cookies", of: cookieOrigin, to: target) }
        for header in boundHeaders where fields.contains(header.name) {
            let isAuthorization = header.name == .authorization
            try check(isAuthorization ? "credentials" : "header \(header.name)", of: header.origin, to: target)
        }
        if fields.contains(.transferEncoding) {
            throw .invalidRequest(
                NetworkFailure("the header Transfer-Encoding cannot be set", advice: "it follows from the body")
            )
        }
        return HTTPRequest(
            method: method,
            scheme: target.scheme,
            authority: target.authority,
            path: target.path,
            headerFields: fields
        )
    }

    private func check(_ secrets: String, of origin: String, to target: RequestTarget) throws(NetworkError) {
        if origin == target.origin { return }
        throw .invalidRequest(
            NetworkFailure(
                "a wire interceptor sends the \(secrets) of \(origin) to \(target.origin)",
                advice: "change the host in an interceptor added with addInterceptor, before secrets are attached"
            )
        )
    }

    private func checkMethod() throws(NetworkError) {
        if method == .connect {
            throw .invalidRequest(NetworkFailure("the method CONNECT cannot be sent", advice: "it is for proxies"))
        }
        if method == .trace, case .none = body { return }
        if method == .trace {
            throw .invalidRequest(
                NetworkFailure("a TRACE request must not have a body (RFC 9110, section 9.3.8)", advice: "remove it")
            )
        }
    }
}
