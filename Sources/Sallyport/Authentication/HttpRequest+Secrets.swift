import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Returns the origin that the request goes to, in normalized form: scheme, host and port, such as `https://api.example.com`.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL is not valid.
    public func origin() throws(NetworkError) -> String {
        try RequestTarget(url: url, parameters: parameters).origin
    }

    /// Sets the `Authorization` header for the current origin of the request only: if a later stage changes the origin, the call
    /// fails with ``NetworkError/invalidRequest(_:)`` and nothing is sent.
    ///
    /// Use it in interceptors of ``HttpClientConfiguration/authentication``, which run again for the target of each redirect. The
    /// value is never logged. Check first that the credentials are meant for the request, for example with an ``OriginSet``.
    ///
    /// ```swift
    /// struct BadgeAuthentication: Interceptor {
    ///     let badge: String
    ///     let origins: OriginSet
    ///
    ///     func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
    ///         guard origins.contains(request), request.getHeader(name: "Authorization") == nil else {
    ///             return try await next(request)
    ///         }
    ///         var request = request
    ///         try request.attach(authorization: "Badge \(badge)")
    ///         return try await next(request)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter authorization: The scheme and the credentials, such as `Bearer …`.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL is not valid.
    public mutating func attach(authorization: String) throws(NetworkError) {
        try attach(header: NetworkConstants.headerAuthorization, value: authorization)
    }

    /// Sets a header with a secret, such as an API key, for the current origin of the request only; see ``attach(authorization:)``.
    ///
    /// ```swift
    /// if origins.contains(request) { try request.attach(header: "X-API-Key", value: key) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the header, which replaces all headers with that name.
    ///   - value: The secret.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL is not valid.
    public mutating func attach(header name: String, value: String) throws(NetworkError) {
        attach(header: name, value: value, for: try RequestTarget(url: url, parameters: parameters))
    }

    /// Sets the `Authorization` header for one origin only.
    mutating func attach(authorization: String, for target: RequestTarget) {
        attach(header: NetworkConstants.headerAuthorization, value: authorization, for: target)
    }

    private mutating func attach(header name: String, value: String, for target: RequestTarget) {
        setHeader(name: name, value: value, isSensitive: true)
        // The call fails if the name is invalid.
        guard let name = HTTPField.Name(name) else { return }
        boundHeaders.removeAll { $0.name == name }
        boundHeaders.append(BoundHeader(name: name, origin: target.origin))
    }

    /// Removes the headers that were set with ``attach(authorization:)`` and ``attach(header:value:)``. Headers that were set in
    /// other ways remain.
    ///
    /// The client does this before it follows a redirect, and before the adapter and the interceptors of
    /// ``HttpClientConfiguration/authentication`` run. An interceptor that changes the origin of a request with attached headers calls
    /// it first.
    public mutating func detachSecrets() {
        if boundHeaders.isEmpty { return }
        for header in boundHeaders { fields[header.name] = nil }
        boundHeaders = []
    }

    /// Removes all headers that contain secrets, as the client does when a redirect leads to another origin.
    ///
    /// These are `Authorization`, cookies, headers that were set as sensitive, and others whose names or values indicate a secret. The
    /// headers `Host` and `Last-Event-ID`, which belong to the origin too, are removed as well.
    public mutating func removeSecrets() {
        let isOfOrigin: Set = ["host", "last-event-id"]
        for field in fields where Redaction.containsSecret(field) || isOfOrigin.contains(field.name.canonicalName) {
            fields[field.name] = nil
        }
        boundHeaders = boundHeaders.filter { fields.contains($0.name) }
    }

    /// Removes the secrets that were set for another origin. A transport then presents no client certificate of
    /// ``TransportSecurity/clientIdentity``, as after a redirect.
    package mutating func withholdSecrets(of origin: String) {
        firstOrigin = firstOrigin ?? origin
        removeSecrets()
    }
}

extension HTTPField {
    /// A Boolean value that indicates whether the field describes the body, as `Content-Type` does.
    var describesBody: Bool { name.canonicalName.hasPrefix("content-") }
}

/// A header that may be sent to one origin only.
struct BoundHeader: Sendable {
    let name: HTTPField.Name
    let origin: String
}
