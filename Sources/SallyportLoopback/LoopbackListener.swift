#if os(Linux) || os(macOS)
import NIOCore
import Sallyport

/// Receives the callback of the authorization endpoint on a port of this computer (RFC 8252, section 7.3).
///
/// It listens on 127.0.0.1 only and accepts one callback: a GET of the redirect URI with the expected `state` in its query.
/// The browser then shows a page that the user can close. Every other request gets an error page and is ignored, so that other
/// programs on this computer cannot end a login by calling the port.
///
/// ```swift
/// let callback = try await LoopbackListener.withListener { listener in
///     show("https://id.example.com/authorize?redirect_uri=\(listener.redirectURI)&state=af0ifjsldkj…")
///     return try await listener.callback(state: "af0ifjsldkj")
/// }
/// ```
public struct LoopbackListener: Sendable {
    /// The redirect URI to send to the server, such as `http://127.0.0.1:49152/callback`.
    public let redirectURI: String
    private let path: String
    private let authority: String
    private let server: LoopbackServer

    /// Runs a closure with a listener, and closes its port before returning.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0 for any free port.
    ///   - path: The path of the redirect URI, beginning with a slash.
    ///   - body: The closure, which receives the listener.
    /// - Throws: ``NetworkError/networkError(_:)`` if the port cannot be used, and the errors of the closure.
    public static func withListener<Result: Sendable>(
        port: Int = 0,
        path: String = "/callback",
        _ body: (LoopbackListener) async throws -> Result
    ) async throws -> Result {
        let listener = try await LoopbackListener(port: port, path: path)
        do {
            let result = try await body(listener)
            await listener.server.close()
            return result
        } catch {
            await listener.server.close()
            throw error
        }
    }

    private init(port: Int, path: String) async throws(NetworkError) {
        guard path.hasPrefix("/"), !path.contains(where: { "?# ".contains($0) }), (0...65_535).contains(port) else {
            throw .invalidRequest("a redirect URI needs a path that begins with a slash, and a port of 65535 at most")
        }
        self.path = path
        server = LoopbackServer()
        do {
            authority = try await server.listen(port: port)
            redirectURI = "http://\(authority)\(path)"
        } catch {
            await server.close()
            throw .loopbackPort(port, purpose: "cannot wait for the browser", error)
        }
    }

    /// Waits for the callback. Connections are not accepted before this method is called.
    ///
    /// - Parameters:
    ///   - state: The `state` of the authorization request. A callback with another state, or without one, is ignored.
    ///   - limit: The maximum time to wait.
    ///   - onIgnored: A closure that is called at once with the description of an ignored callback: its error, such as
    ///     `access_denied`. It is called a limited number of times.
    /// - Returns: The callback URL: the redirect URI with the query that the server added.
    /// - Throws: ``NetworkError/timeout(_:)``, or ``NetworkError/cancelled(_:)`` when the task is cancelled.
    public func callback(
        state: String,
        within limit: Duration = .seconds(300),
        onIgnored: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(NetworkError) -> String {
        let callback = server.callback
        let timeout = server.eventLoop.scheduleTask(in: TimeAmount(limit)) { [server] in server.timeOut(after: limit) }
        defer { timeout.cancel() }
        do {
            return try await withTaskCancellationHandler {
                let expected = LoopbackRequest.Expected(authority: authority, path: path, state: state)
                try await server.accept(expected, onIgnored: onIgnored)
                return try await callback.futureResult.get()
            } onCancel: {
                callback.fail(NetworkError.cancelled("the login was cancelled while it waited for the browser"))
            }
        } catch {
            throw NetworkError(wrapping: error, reason: "the callback could not be received")
        }
    }
}
#endif
