import Sallyport
import SallyportStorage

/// Connects the requests of each call of the app.
struct CallTelemetry: Interceptor {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let call = CallRecord()
        do {
            let response = try await CallRecord.$current.withValue(call) { try await next(request) }
            call.end(nil)
            return response
        } catch {
            call.end(error as? NetworkError)
            throw error
        }
    }
}

/// The requests that a call has sent, including redirects and retries.
final class CallRecord: Sendable {
    /// The call of the current task; `nil` outside of calls.
    @TaskLocal static var current: CallRecord?

    private struct State: Sendable {
        var count = 0
        /// The last request, if its response is a redirect.
        var redirected: RequestRecord?
    }

    private let state = Locked(State())

    /// Records that a request is sent.
    ///
    /// - Returns: The number of requests that the call has sent before.
    func begin() -> Int {
        let (count, redirected) = state.withLock { state in
            defer { state = State(count: state.count + 1) }
            return (state.count, state.redirected)
        }
        redirected?.release()
        return count
    }

    /// Defers the end of a request whose response is a redirect, until it is known whether the call follows it.
    func hold(_ record: RequestRecord) {
        record.hold()
        state.withLock { $0.redirected = record }
    }

    /// Records the end of the call.
    ///
    /// - Parameter error: The error of the call. It is also that of a request whose redirect was refused.
    func end(_ error: NetworkError?) {
        let redirected = state.withLock { state in
            defer { state.redirected = nil }
            return state.redirected
        }
        switch error {
        case .tooManyRedirects?, .invalidResponse?: redirected?.release(failing: error)
        default: redirected?.release()
        }
    }
}
