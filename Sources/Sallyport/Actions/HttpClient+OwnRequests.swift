extension HttpClient {
    /// Returns a request that the SDK itself sends: it has an action, carries its own credentials and is sent confidentially.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - type: The type of the action.
    ///   - media: The accepted media type.
    package func ownRequest(
        _ url: String,
        _ type: ActionType,
        accepting media: String = NetworkConstants.contentTypeJSON
    ) -> HttpRequest {
        var request = request()
        request.url = url
        request.action = Action(type)
        request.carriesOwnCredentials = true
        request.requiresSecureTransport = true
        request.setHeader(name: NetworkConstants.headerAccept, value: media)
        return request
    }
}
