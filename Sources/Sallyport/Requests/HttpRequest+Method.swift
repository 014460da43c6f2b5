import HTTPTypes
import SallyportTransport

extension HttpRequest {
    /// Sets the method, leaving the body as it is.
    public mutating func setMethod(_ method: HttpMethod) {
        self.method = method
    }

    /// Sets the method by its name, for methods that have no constant.
    ///
    /// - Parameter name: A token of RFC 9110; case matters. Anything else fails the request when it is sent.
    public mutating func setMethod(_ name: String) {
        guard let method = HttpMethod(name) else {
            return remember(
                NetworkFailure(
                    "the method \"\(VisibleText.line(name))\" is not a token",
                    advice: "use a name such as PURGE"
                )
            )
        }
        self.method = method
    }

    /// The method: GET unless set.
    public func getMethod() -> HttpMethod { method }

    /// Makes it a GET without a body.
    public mutating func get() {
        method = .get
        clearBody()
    }

    /// Makes it a DELETE without a body.
    public mutating func delete() {
        method = .delete
        clearBody()
    }

    /// Takes the body away, and with it the header that told its type.
    private mutating func clearBody() {
        if case .none = body { return }
        body = .none
        fields[.contentType] = nil
    }
}
