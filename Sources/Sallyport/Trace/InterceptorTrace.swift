import SallyportTransport

/// What became of a request on its way through a client: what each interceptor, the built-in ones included, added,
/// removed and replaced, for each time that it was sent.
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
/// Secrets are masked as in logs, and cookies always. A stage that changed nothing is not listed. What the transport adds,
/// such as `Host` and `Content-Length`, is not part of it.
public struct InterceptorTrace: Sendable, Hashable {
    /// What one stage did to the request before it passed it on.
    public struct Stage: Sendable, Hashable {
        /// The stage: the name of an interceptor's type, where a closure was added, or what a built-in stage is for.
        public let name: String

        /// What it changed.
        public let changes: [RequestChange]
    }

    /// One time that the request was sent, or was about to be.
    public struct Attempt: Sendable, Hashable {
        /// The stages that changed the request since the attempt before, in order.
        public internal(set) var stages: [Stage]

        /// The method and URL that were handed to the transport; `nil` if it did not come so far.
        public internal(set) var sent: String?

        /// The status that came back; `nil` if none did.
        public internal(set) var status: HttpStatus?

        /// The stage that answered instead of the server.
        public internal(set) var answeredBy: String?
    }

    /// The method and URL as the app made them.
    public let request: String

    /// What the request is for, if the SDK itself sent it.
    public let action: ActionType?

    /// The attempts, in order: the first, and one for each redirect, repetition and answer to a challenge.
    public internal(set) var attempts: [Attempt] = []

    /// How many attempts came after those that are kept, which are 100.
    public internal(set) var furtherAttempts = 0
}

extension InterceptorTrace: CustomStringConvertible {
    /// The trace as a diff: `@` begins a stage, `+`, `-` and `~` are what it added, removed and replaced, `>` is what was
    /// sent and `<` the status of the answer.
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
        return lines
    }
}
