import Foundation
import Sallyport
import SallyportService

/// The configuration of all requests in static properties, and the session of one service in an instance.
///
/// ```swift
/// NetworkServiceConfiguration.baseUrl = "https://api.example.com/v1"
/// NetworkServiceConfiguration.headers["Accept-Language"] = "en"
/// ```
///
/// The static properties are global state, which any thread may access. A call uses the values at its start. Setting a single
/// header replaces all of them, so do not do that in several threads at a time.
public struct NetworkServiceConfiguration: Sendable {
    /// The URL that precedes all paths: `http` or `https`, a host, and the common prefix of the paths. With `http` and a host other than
    /// this computer, calls need ``allowsPlainHTTP``.
    ///
    /// Tokens are stored for its origin; see ``OAuthTokenService``.
    public static var baseUrl: String {
        get { SharedState.shared.withLock { $0.baseUrl } }
        set {
            SharedState.shared.withLock { state in
                state.baseUrl = newValue
                state.urlIsValid = false
            }
        }
    }

    /// The maximum time until the response to a request, in seconds; 10 by default. It does not limit the duration of
    /// uploads and downloads.
    public static var timeoutValue: TimeInterval {
        get { SharedState.shared.withLock { $0.timeoutValue } }
        set { SharedState.shared.withLock { $0.timeoutValue = newValue } }
    }

    /// `true` if requests may be sent over plain HTTP to other computers, where others can read and change them. The default is
    /// `false`. On Apple platforms, the app also needs an exception of App Transport Security, as with the original library.
    public static var allowsPlainHTTP: Bool {
        get { SharedState.shared.withLock { $0.allowsPlainHTTP } }
        set { SharedState.shared.withLock { $0.allowsPlainHTTP = newValue } }
    }

    /// The headers of all requests; none by default.
    public static var headers: [String: String] {
        get { SharedState.shared.withLock { $0.headers } }
        set { SharedState.shared.withLock { $0.headers = newValue } }
    }

    /// `true` if ``validateServiceURL()`` or a call has found ``baseUrl`` to be valid.
    public static var urlIsValid: Bool {
        get { SharedState.shared.withLock { $0.urlIsValid } }
        set { SharedState.shared.withLock { $0.urlIsValid = newValue } }
    }

    /// The path below ``baseUrl`` at which tokens are refreshed; `/auth/refresh` by default.
    public static var refreshPath: String {
        get { SharedState.shared.withLock { $0.refreshPath } }
        set { SharedState.shared.withLock { $0.refreshPath = newValue } }
    }

    /// The session of the requests; `.defaultService` by default.
    public var serviceSessionType = NetworkServiceSessionType.defaultService

    /// The prefix of random identifiers of uploads and downloads, and the name of the folder that contains the transfers of background
    /// sessions.
    public var clientBundle = "com.networkservice.api"

    /// Creates a configuration with the default session.
    public init() {}

    /// Checks ``baseUrl``, and sets ``urlIsValid``.
    ///
    /// - Returns: `true` if the URL is valid.
    @discardableResult
    public static func validateServiceURL() -> Bool {
        SharedState.shared.withLock { state in
            state.urlIsValid = (try? ServiceClientConfiguration(baseURL: state.baseUrl)) != nil
            return state.urlIsValid
        }
    }

    /// Handles the events of a background session after the system has launched your app for them. Then repeat the upload or
    /// download with the same identifier to receive its result.
    ///
    /// Call it in your app delegate, after setting ``baseUrl``. Linux has no background sessions: the completion handler is called
    /// there without waiting for events.
    ///
    /// ```swift
    /// func application(
    ///     _ application: UIApplication,
    ///     handleEventsForBackgroundURLSession identifier: String,
    ///     completionHandler: @escaping () -> Void
    /// ) {
    ///     NetworkServiceConfiguration.handleEvents(forBackgroundSession: identifier) { completionHandler() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the session: the identifier of the upload or download.
    ///   - completionHandler: A closure that is called on the main actor when all events have been handled, or at once if ``baseUrl`` is
    ///     invalid.
    public static func handleEvents(
        forBackgroundSession identifier: String,
        completionHandler: @escaping @MainActor () -> Void
    ) {
        do throws(NetworkServiceError) {
            let sessions = SharedState.shared.withLock { $0.backgroundSessions }
            let client = BackgroundTransfer.client(of: try NetworkServiceConfiguration.background.makeService())
            sessions.handleEvents(of: identifier, client: client, completionHandler: completionHandler)
        } catch {
            LogManager.warning.warning("The events of the background session \(identifier) are not handled: \(error)")
            // It ends with the handler.
            Task { @MainActor in completionHandler() }
        }
    }
}

/// The configuration of a download.
public typealias ServiceConfiguration = NetworkServiceConfiguration
