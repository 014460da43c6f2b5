import SallyportTransport

/// A closure that changes the requests that the SDK sends itself, and calls the next middleware.
///
/// ```swift
/// config.addMiddleware { request, action, next in
///     if action.type == "START_AUTHENTICATE" { request.setParameter(name: "ForceAuth", value: "true") }
///     try await next(&request)
/// }
/// ```
///
/// When `next` returns, the request contains the changes of all later middleware, and may be changed again. If a middleware does not
/// call `next`, later middleware does not run, and the request is sent as it is then. Throwing an error refuses the call. Middleware
/// does not see the response; use an ``Interceptor`` for that.
public typealias RequestMiddleware =
    @Sendable (_ request: inout HttpRequest, _ action: Action, _ next: NextMiddleware) async throws -> Void

/// The middleware after the current one.
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

    /// Runs the middleware after the current one.
    ///
    /// - Parameter request: The request to change.
    /// - Throws: ``NetworkError``. Any other error of a middleware is thrown as ``NetworkError/networkError(_:)``.
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

/// Middleware and its name in traces and errors.
struct NamedMiddleware: Sendable {
    let name: String
    let run: RequestMiddleware
}

extension HttpClientConfiguration {
    /// Adds middleware, which changes the requests that the SDK sends itself; see ``RequestMiddleware``.
    ///
    /// Middleware runs after the ``RequestInterceptor``s, in the order in which it was added.
    ///
    /// - Parameters:
    ///   - middleware: The middleware.
    ///   - file: The source file, which a trace shows.
    ///   - line: The line in the source file.
    public mutating func addMiddleware(
        _ middleware: @escaping RequestMiddleware,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.middleware.append(NamedMiddleware(name: "middleware at \(file):\(line)", run: middleware))
    }
}
