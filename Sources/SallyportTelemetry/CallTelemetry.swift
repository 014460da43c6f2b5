import Sallyport
import SallyportStorage

/// Connects the requests of each call that the app makes.
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
        /// The number of requests with each action. Requests that the SDK sends itself in between, such as the handshake of payload
        /// encryption, have an action of their own. They do not make the caller's request a repeated one.
        var counts: [ActionType?: Int] = [:]
        /// The last request, if its response is a redirect.
        var redirected: RequestRecord?
        var hasEnded = false
    }

    private let state = Locked(State())

    /// Records that a request is sent.
    ///
    /// - Returns: The number of requests with the same action that the call has sent before.
    func begin(_ action: ActionType?) -> Int {
        let (count, redirected) = state.withLock { state in
            let count = state.counts[action, default: 0]
            defer { (state.counts[action], state.redirected) = (count + 1, nil) }
            return (count, state.redirected)
        }
        redirected?.release()
        return count
    }

    /// Defers the end of a request whose response is a redirect, until it is known whether the call follows the redirect.
    ///
    /// The end of a request that outlives its call, such as a validation of the cache in the background, is not deferred.
    func hold(_ record: RequestRecord) {
        record.hold()
        let released = state.withLock { state -> RequestRecord? in
            if state.hasEnded { return record }
            defer { state.redirected = record }
            return state.redirected
        }
        released?.release()
    }

    /// Records the end of the call.
    ///
    /// - Parameter error: The error of the call. It is also the error of a request if its redirect was refused.
    func end(_ error: NetworkError?) {
        let redirected = state.withLock { state in
            defer { (state.redirected, state.hasEnded) = (nil, true) }
            return state.redirected
        }
        switch error {
        case .tooManyRedirects?, .invalidResponse?: redirected?.release(failing: error)
        default: redirected?.release()
        }
    }
}
