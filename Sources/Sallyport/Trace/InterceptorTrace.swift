import SallyportTransport

/// A record of the changes that each interceptor, including the built-in ones, made to a request, for each time that it was sent.
///
/// ```swift
/// request.isTraced = true
/// let response = try await client.request(request: request)
/// if let trace = response.trace { print(trace) }
/// // POST https://am.example.com/authenticate (START_AUTHENTICATE)
/// // @ ForceAuthentication
/// // + query ForceAuth=true
/// // @ cookies
/// // + cookie id=***
/// // > POST https://am.example.com/authenticate?ForceAuth=true
/// // < 200
/// ```
///
/// Secrets are masked as in logs, also where a stage has copied them, and cookies always. Stages that changed nothing are not listed.
/// Headers that the transport adds, such as `Host` and `Content-Length`, are not included.
public struct InterceptorTrace: Sendable, Hashable {
    /// The changes that one stage made to the request.
    public struct Stage: Sendable, Hashable, Encodable {
        /// The name of the interceptor's type, the source location of a closure, or the purpose of a built-in stage.
        public let name: String

        /// The changes.
        public let changes: [RequestChange]
    }

    /// An attempt to send the request.
    public struct Attempt: Sendable, Hashable {
        /// The stages that changed the request since the previous attempt, in order.
        public internal(set) var stages: [Stage]

        /// The method and URL that were passed to the transport; `nil` if the attempt failed before.
        public internal(set) var sent: String?

        /// The status of the response; `nil` if there was none.
        public internal(set) var status: HttpStatus?

        /// The stage that returned a response without sending the request.
        public internal(set) var answeredBy: String?

        /// The decision of the client's cache; `nil` if there is no cache.
        public internal(set) var cacheStatus: HttpCacheStatus?
    }

    /// The method and URL as the app set them.
    public let request: String

    /// The purpose of a request that the SDK itself sent.
    public let action: ActionType?

    /// The attempts in order: the first, and one for each redirect, retry and response to a challenge.
    public internal(set) var attempts: [Attempt] = []

    /// The number of attempts after the first 100, which are not recorded.
    public internal(set) var furtherAttempts = 0
}

extension InterceptorTrace: CustomStringConvertible {
    /// The trace as a diff: `@` begins a stage, `+`, `-` and `~` mark additions, removals and replacements, `>` is the request that
    /// was sent, `<` the status of the response, and `=` the decision of the cache.
    public var description: String {
        var lines = [request + (action.map { " (\($0))" } ?? "")] + attempts.flatMap(\.lines)
        if furtherAttempts > 0 { lines.append("(\(furtherAttempts) more attempts)") }
        return lines.joined(separator: "\n")
    }
}

extension InterceptorTrace.Attempt {
    fileprivate var lines: [String] {
        var lines = stages.flatMap { stage in ["@ \(stage.name)"] + stage.changes.map(\.description) }
        if let sent { lines.append("> \(sent)") }
        if let status { lines.append("< \(status.code)" + (answeredBy.map { " by \($0)" } ?? "")) }
        if let cacheStatus { lines.append("= \(cacheStatus)") }
        return lines
    }
}

extension NetworkError {
    /// The changes that each stage made to the request before the failure; `nil` unless ``HttpRequest/isTraced`` is set.
    public var trace: InterceptorTrace? { (failure.attachment as? AttachedTrace)?.trace }

    func attaching(_ trace: InterceptorTrace) -> NetworkError {
        var error = self
        error.failure.attachment = AttachedTrace(trace)
        return error
    }
}

/// A trace that is attached to an error by reference, so that it does not enlarge errors.
private final class AttachedTrace: Sendable {
    let trace: InterceptorTrace

    init(_ trace: InterceptorTrace) {
        self.trace = trace
    }
}
