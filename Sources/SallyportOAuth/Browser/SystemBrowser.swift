#if os(Linux) || os(macOS)
import Foundation
import Sallyport

/// The person's own browser, which comes back to a port of this computer (RFC 8252).
///
/// On macOS it is opened by `open`; on Linux by the command in the environment's `BROWSER`, else by `xdg-open` or `wslview`.
/// Where none can be opened, the person is told the URL, and may open it by hand.
///
/// ```swift
/// let browser = SystemBrowser(port: 8765, path: "/cb")
/// let callback = try await browser.authorize { redirectURI in "https://id.example.com/authorize?…" }
/// ```
public struct SystemBrowser: AuthorizationAgent {
    /// The port to wait at; 0 is any free one.
    public var port: Int
    /// The path of the redirect URI.
    public var path: String
    /// How long the person has to answer.
    public var timeout: Duration
    private let environment: [String: String]
    private let notify: @Sendable (BrowserNotice) -> Void

    /// Makes an agent.
    ///
    /// - Parameters:
    ///   - port: The port to wait at, where the server insists on one; 0 is any free one.
    ///   - path: The path of the redirect URI, beginning with a slash.
    ///   - timeout: How long the person has to answer.
    ///   - environment: The environment to look for `BROWSER` and `PATH` in, which the browser gets as well.
    ///   - notify: Is told what the person should know; by default it stands on the standard error.
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

    /// Opens the browser and waits for it to come back; see ``AuthorizationAgent/authorize(_:)``.
    ///
    /// - Throws: ``NetworkError``, or what `makeURL` throws.
    public func authorize(_ makeURL: @Sendable (_ redirectURI: String) async throws -> String) async throws -> String {
        try await LoopbackListener.withListener(port: port, path: path) { listener in
            let url = try await makeURL(listener.redirectURI)
            guard ["https://", "http://"].contains(where: url.lowercased().hasPrefix) else {
                throw NetworkError.invalidRequest(
                    NetworkFailure(
                        "the authorization endpoint is not a web page",
                        advice: "its URL begins with https://"
                    )
                )
            }
            open(url)
            let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
            let state = LoopbackRequest.values(of: "state", in: query).first ?? nil
            return try await listener.callback(state: state, within: timeout)
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
