#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
import AuthenticationServices
import Foundation
import Sallyport
import SallyportStorage

/// An agent that shows the system's sign-in sheet, which shares cookies with the browser unless it is ephemeral.
///
/// ```swift
/// let session = WebAuthenticationSession(redirectURI: "com.example.app:/callback") { window }
/// ```
public struct WebAuthenticationSession: AuthorizationAgent {
    /// The redirect URI, in a URL scheme of your app.
    public let redirectURI: String
    /// A Boolean value that indicates whether the sheet shares no cookies with the browser, so that the user must sign in
    /// again.
    public var isEphemeral: Bool
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Creates an agent.
    ///
    /// - Parameters:
    ///   - redirectURI: A redirect URI in a URL scheme of your app, such as `com.example.app:/callback`.
    ///   - isEphemeral: A Boolean value that indicates whether the sheet shares no cookies with the browser.
    ///   - anchor: A closure that returns the window to show the sheet over.
    public init(
        redirectURI: String,
        isEphemeral: Bool = false,
        anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.redirectURI = redirectURI
        self.isEphemeral = isEphemeral
        self.anchor = anchor
    }

    /// Shows the sheet until the server redirects to your app's URL scheme; see ``AuthorizationAgent/authorize(_:)``.
    ///
    /// The system ends the sheet at the first redirect to the scheme, which only the sheet's own pages can cause.
    public func authorize(
        _ makeRequest: @Sendable (_ redirectURI: String) async throws -> AuthorizationRequest
    ) async throws -> AuthorizationResponse {
        let request = try await makeRequest(redirectURI)
        guard let url = URL(string: request.url), let scheme = URL(string: redirectURI)?.scheme else {
            throw NetworkError.invalidRequest("the authorization endpoint or the redirect URI is not a URL")
        }
        let callback = try await WebAuthenticationSheet(anchor).show(url, scheme: scheme, isEphemeral: isEphemeral)
        return AuthorizationResponse(url: callback, request: request)
    }
}

/// One presentation of the sheet.
@MainActor
private final class WebAuthenticationSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private let waiting = Locked<CheckedContinuation<String, any Error>?>(nil)
    private var session: ASWebAuthenticationSession?

    init(_ anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.anchor = anchor
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

    func show(_ url: URL, scheme: String, isEphemeral: Bool) async throws -> String {
        defer { session?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                // The system may call it on any thread.
                let session = ASWebAuthenticationSession(url: url, callbackURLScheme: scheme) {
                    @Sendable [self] callback, error in
                    finish(Self.result(callback, error))
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                self.session = session
                if Task.isCancelled { return finish(Self.cancelled) }
                if !session.start() { finish(Self.result(nil, nil)) }
            }
        } onCancel: {
            finish(Self.cancelled)
        }
    }

    /// Ends the wait unless it has ended already.
    private nonisolated func finish(_ result: Result<String, any Error>) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(with: result)
    }

    private nonisolated static let cancelled = Result<String, any Error>.failure(
        NetworkError.cancelled("the login was cancelled while it waited for the sign-in page")
    )

    private nonisolated static func result(_ callback: URL?, _ error: (any Error)?) -> Result<String, any Error> {
        if let callback { return .success(callback.absoluteString) }
        if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
            return .failure(NetworkError.cancelled("the sign-in page was closed before the sign-in was complete"))
        }
        let failure = NetworkFailure("the sign-in page could not be shown", underlying: error)
        return .failure(NetworkError.networkError(failure))
    }
}
#endif
