import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Returns the origin that the request goes to, in normalized form: scheme, host and port, such as `https://api.example.com`.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL is not valid.
    public func origin() throws(NetworkError) -> String {
        try RequestTarget(url: url, parameters: parameters).origin
    }

    /// Sets the `Authorization` header for the present origin of the request only: if a later stage changes the origin, the call
    /// fails with ``NetworkError/invalidRequest(_:)`` and nothing is sent.
    ///
    /// Use it in interceptors of ``HttpClientConfiguration/authentication``, which run again for the target of each redirect. The
    /// value is never logged. Check first that the credentials are meant for the request, for example with an ``OriginSet``.
    ///
    /// - Parameter authorization: The scheme and the credentials, such as `Bearer …`.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL is not valid.
    public mutating func attach(authorization: String) throws(NetworkError) {
        attach(authorization: authorization, for: try RequestTarget(url: url, parameters: parameters))
    }

    /// Sets the `Authorization` header for one origin only.
    mutating func attach(authorization: String, for target: RequestTarget) {
        setHeader(name: NetworkConstants.headerAuthorization, value: authorization, isSensitive: true)
        authorizationOrigin = target.origin
    }

    /// Removes the header that ``attach(authorization:for:)`` has set. A header that the app set itself remains.
    mutating func detachAuthorization() {
        if authorizationOrigin == nil { return }
        fields[.authorization] = nil
        authorizationOrigin = nil
    }
}
