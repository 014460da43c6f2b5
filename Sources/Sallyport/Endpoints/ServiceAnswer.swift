/// A typed answer with the response that it was read from, for its headers and its status.
public struct ServiceAnswer<Value: Sendable>: Sendable {
    /// The typed answer.
    public var value: Value

    /// The response, with its body.
    public var response: HttpResponse

    /// Makes an answer.
    public init(value: Value, response: HttpResponse) {
        self.value = value
        self.response = response
    }
}
