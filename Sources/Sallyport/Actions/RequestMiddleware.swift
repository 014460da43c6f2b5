import SallyportTransport

/// A closure that changes the requests that the SDK itself sends, and calls the next of its kind (seed "Intercept and
/// modify REST calls", its part on JavaScript).
///
/// ```swift
/// config.addMiddleware { request, action, next in
///     if action.type == .startAuthenticate { request.setParameter(name: "ForceAuth", value: "true") }
///     try await next(&request)
/// }
/// ```
///
/// After `next` the request is as the middleware behind this one has left it, and may still be changed. Middleware that
/// does not call `next` is the last: those behind it are passed over, and the request is sent as it is then. Throwing
/// refuses the call. Nothing here sees the response: an ``Interceptor`` does.
public typealias RequestMiddleware =
    @Sendable (_ request: inout HttpRequest, _ action: Action, _ next: NextMiddleware) async throws -> Void

/// The middleware behind the present one.
public struct NextMiddleware: Sendable {
    private let caller: String?
    private let rest: ArraySlice<NamedMiddleware>
    private let action: Action
    private let trace: TracedStage?

    init(_ middleware: [NamedMiddleware], action: Action, trace: TracedStage?) {
        self.init(after: nil, middleware[...], action: action, trace: trace)
    }

    private init(after caller: String?, _ rest: ArraySlice<NamedMiddleware>, action: Action, trace: TracedStage?) {
        self.caller = caller
        self.rest = rest
        self.action = action
        self.trace = trace
    }

    /// Has the middleware behind the present one change the request.
    ///
    /// - Parameter request: The request to change.
    /// - Throws: ``NetworkError``; what one of them throws else is ``NetworkError/networkError(_:)``.
    public func callAsFunction(_ request: inout HttpRequest) async throws(NetworkError) {
        if let caller { trace?.record(request, by: caller) }
        guard let first = rest.first else { return }
        let next = NextMiddleware(after: first.name, rest.dropFirst(), action: action, trace: trace)
        do {
            try await first.run(&request, action, next)
        } catch {
            throw NetworkError(wrapping: error, reason: "the \(first.name) failed")
        }
        trace?.record(request, by: first.name)
    }
}

/// Middleware and what a trace and an error call it.
struct NamedMiddleware: Sendable {
    let name: String
    let run: RequestMiddleware
}
