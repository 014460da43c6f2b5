import HTTPTypes

extension HttpRequest {
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
