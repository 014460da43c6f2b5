#if canImport(AuthenticationServices)
import AuthenticationServices
import Foundation
import Sallyport

/// The system's own sheet for signing in, which shares cookies with the person's browser.
///
/// ```swift
/// let session = WebAuthenticationSession(redirectURI: "com.example.app:/callback") { window }
/// ```
@available(iOS 16, macOS 13, tvOS 16, visionOS 1, watchOS 9, *)
public struct WebAuthenticationSession: AuthorizationAgent {
    /// Where the server sends the person back to, in a URL scheme that is the app's own.
    public let redirectURI: String
    /// Whether the sheet shares no cookies with the browser, so that the person signs in anew.
    public var isEphemeral: Bool
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Makes an agent.
    ///
    /// - Parameters:
    ///   - redirectURI: A redirect URI in a URL scheme of the app, such as `com.example.app:/callback`.
    ///   - isEphemeral: Whether the sheet shares no cookies with the browser.
    ///   - anchor: Gives the window to show the sheet over.
    public init(
        redirectURI: String,
        isEphemeral: Bool = false,
        anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.redirectURI = redirectURI
        self.isEphemeral = isEphemeral
        self.anchor = anchor
    }

    /// See ``AuthorizationAgent/authorize(_:)``.
    public func authorize(_ makeURL: @Sendable (_ redirectURI: String) async throws -> String) async throws -> String {
        let text = try await makeURL(redirectURI)
        guard let url = URL(string: text), let scheme = URL(string: redirectURI)?.scheme else {
            throw NetworkError.invalidRequest("the authorization endpoint or the redirect URI is not a URL")
        }
        return try await WebAuthenticationSheet(anchor).show(url, scheme: scheme, isEphemeral: isEphemeral)
    }
}

/// One showing of the sheet.
@MainActor
private final class WebAuthenticationSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    init(_ anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.anchor = anchor
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

    func show(_ url: URL, scheme: String, isEphemeral: Bool) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let session = ASWebAuthenticationSession(url: url, callbackURLScheme: scheme) { callback, error in
                    continuation.resume(with: Self.result(callback, error))
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                self.session = session
                // Where it cannot be shown, the system calls the closure above with the reason.
                session.start()
                if Task.isCancelled { session.cancel() }
            }
        } onCancel: {
            Task { @MainActor in session?.cancel() }
        }
    }

    private nonisolated static func result(_ callback: URL?, _ error: (any Error)?) -> Result<String, any Error> {
        if let callback { return .success(callback.absoluteString) }
        if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
            return .failure(NetworkError.cancelled("the sign-in page was closed before it was answered"))
        }
        let failure = NetworkFailure("the sign-in page could not be shown", underlying: error)
        return .failure(NetworkError.networkError(failure))
    }
}
#endif
