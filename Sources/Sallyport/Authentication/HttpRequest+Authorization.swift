import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Scheme, host and port of where the request goes, written in one way only: `https://api.example.com`.
    ///
    /// - Throws: ``NetworkError/invalidRequest(_:)`` saying what is wrong with the URL.
    public func origin() throws(NetworkError) -> String {
        try RequestTarget(url: url, parameters: parameters).origin
    }

    /// Sets the `Authorization` header for the origin that the request goes to now, and for no other: if anything after
    /// this sends it elsewhere, the call fails with ``NetworkError/invalidRequest(_:)`` and nothing is sent.
    ///
    /// It is for interceptors in ``HttpClientConfiguration/authentication``, which are asked again for each redirect's
    /// target. The value is never logged. See ``origin()`` for whether the credentials belong there.
    ///
    /// - Parameter authorization: The scheme and the credentials, such as `Bearer …`.
    /// - Throws: ``NetworkError/invalidRequest(_:)`` if the URL is not valid.
    public mutating func attach(authorization: String) throws(NetworkError) {
        attach(authorization: authorization, for: try RequestTarget(url: url, parameters: parameters))
    }

    /// Sets the `Authorization` header, for one origin only, which nothing after this can change.
    mutating func attach(authorization: String, for target: RequestTarget) {
        setHeader(name: NetworkConstants.headerAuthorization, value: authorization, isSensitive: true)
        authorizationOrigin = target.origin
    }

    /// Takes away what ``attach(authorization:for:)`` has set. What the app set itself stays.
    mutating func detachAuthorization() {
        if authorizationOrigin == nil { return }
        fields[.authorization] = nil
        authorizationOrigin = nil
    }
}
