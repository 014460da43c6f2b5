#if os(Linux) || os(macOS)
import Foundation
import Sallyport
import SallyportOAuth

/// An agent that opens the sign-in pages in the user's browser, and receives the callback on a loopback port (RFC 8252).
///
/// On macOS the browser is opened by `open`; on Linux by the command in the variable `BROWSER`, or else by `xdg-open` or
/// `wslview`. If no browser can be opened, a notice asks the user to open the URL.
///
/// ```swift
/// let tokens = try await client.signIn(with: SystemBrowser(port: 8765, path: "/cb"))
/// ```
public struct SystemBrowser: AuthorizationAgent {
    /// The port of the redirect URI; 0 for any free port.
    public var port: Int
    /// The path of the redirect URI.
    public var path: String
    /// The maximum time to wait for the callback.
    public var timeout: Duration
    private let environment: [String: String]
    private let notify: @Sendable (BrowserNotice) -> Void

    /// Creates an agent.
    ///
    /// - Parameters:
    ///   - port: The port of the redirect URI, if the server requires a specific one; 0 for any free port.
    ///   - path: The path of the redirect URI, beginning with a slash.
    ///   - timeout: The maximum time to wait for the callback.
    ///   - environment: The environment that provides `BROWSER` and `PATH`. The browser inherits it.
    ///   - notify: A closure that shows notices to the user; by default, they are written to standard error.
    public init(
        port: Int = 0,
        path: String = "/callback",
        timeout: Duration = .seconds(300),
        environment: [String: String] = ProcessInfo.processInfo.environment,
        notify: @escaping @Sendable (BrowserNotice) -> Void = { $0.print() }
    ) {
        self.port = port
        self.path = path
        self.timeout = timeout
        self.environment = environment
        self.notify = notify
    }

    /// Opens the browser and waits for the callback with the request's state; see `AuthorizationAgent`.
    ///
    /// - Throws: ``NetworkError``, or the error of `makeRequest`.
    public func authorize(
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationResponse {
        try await LoopbackListener.withListener(port: port, path: path) { listener in
            let request = try await makeRequest(listener.redirectURI)
            guard ["https://", "http://"].contains(where: request.url.lowercased().hasPrefix) else {
                throw NetworkError.invalidRequest(
                    NetworkFailure(
                        "the URL of the authorization endpoint is not http or https",
                        advice: "check the server's metadata"
                    )
                )
            }
            open(request.url)
            let callback = try await listener.callback(state: request.state, within: timeout) { [notify] text in
                notify(.ignored(text))
            }
            return AuthorizationResponse(url: callback, request: request)
        }
    }

    private func open(_ url: String) {
        do {
            let command = try BrowserCommand.find(in: environment)
            try command.open(url, environment: environment) { [notify] reason in
                notify(.notOpened(url: url, reason: reason))
            }
            notify(.opened(url: url))
        } catch {
            notify(.notOpened(url: url, reason: "\(error)"))
        }
    }
}
#endif
