import Sallyport
import TestSupport
import Testing

/// Compiles only with a type that is `Sendable`.
private func requireSendable<Value: Sendable>(_ type: Value.Type) {}

/// The promise of the seeds 000 and 004 that all types can be shared by tasks and actors.
@Suite(.concurrencyLimited) struct SendableTypesTests {
    /// A configuration is `Sendable` only if the closures of its interceptors are.
    @Test func `The types of the seeds are Sendable`() {
        requireSendable(HttpClient.self)
        requireSendable(HttpClientConfiguration.self)
        requireSendable(HttpRequest.self)
        requireSendable(HttpResponse.self)
        requireSendable(HttpHeaders.self)
        requireSendable(HttpMethod.self)
        requireSendable(HttpStatus.self)
        requireSendable(Cookie.self)
        requireSendable(NetworkError.self)
        requireSendable(NetworkFailure.self)
        requireSendable(StandardHeaders.self)
    }
}
