import SallyportStorage
import SallyportTransport

/// Keeps the request that reaches it, and throws an error instead of sending it.
package struct RequestCapture: Interceptor {
    private struct NotSent: Error, CustomStringConvertible {
        var description: String { "the request is prepared for another program, and is not sent" }
    }

    private let captured = Locked<HttpRequest?>(nil)

    package init() {}

    package func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        captured.withLock { $0 = request }
        throw NotSent()
    }

    /// Returns the request that reaches the interceptor when a closure sends one.
    ///
    /// - Throws: The error of the closure if no request reaches the interceptor; ``NetworkError/invalidRequest(_:)`` if another interceptor
    ///   answers it.
    package nonisolated(nonsending) func request(
        sentBy send: () async throws(NetworkError) -> HttpResponse
    ) async throws(NetworkError) -> HttpRequest {
        var failure: NetworkError?
        do throws(NetworkError) { _ = try await send() } catch { failure = error }
        if let request = captured.withLock({ $0 }) { return request }
        throw failure ?? .invalidRequest("an interceptor answered the request, which another program is to send")
    }
}
