import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// A closure that receives a Boolean value that indicates whether an operation succeeded.
public typealias NetworkServiceCallStatusCallback = (Bool) -> Void

/// The tokens that authenticate all requests to the server of ``NetworkServiceConfiguration/baseUrl``.
///
/// Each request to the origin of the base URL carries the access token, if there is one, and otherwise none. If a token has
/// expired or the server responds with 401, the tokens are refreshed once, and the requests that wait for them continue with
/// the new ones. An expired token that cannot be refreshed is not sent. If the server refuses to refresh the token, the request is
/// sent without one, and its callback receives the server's response. The token takes precedence over a header `Authorization` in
/// ``NetworkServiceConfiguration/headers``. A refresh is a POST to
/// ``NetworkServiceConfiguration/refreshPath`` with the refresh token in the header `Authorization`. Its response has an
/// ``OAuthTokenModel`` in its `body`. If the server refuses the refresh token with 400, 401 or 403, the tokens are removed.
///
/// Tokens are stored for the origin of the base URL, and never sent to another one. The base URL must be https, or a loopback
/// address.
///
/// ```swift
/// OAuthTokenService.saveOAuthTokens(authenticationModel: tokens)
/// if OAuthTokenService.findOAuthToken() { OAuthTokenService.resetAuthTokens() }
/// ```
open class OAuthTokenService {
    /// The store of the tokens; by default the keychain, or on Linux a file below `~/.config` that only the user can read.
    ///
    /// Set it before the first request.
    public static var store: any TokenStore {
        get { SharedState.shared.withLock { $0.tokenStore } }
        set { SharedState.shared.withLock { $0.tokenStore = newValue } }
    }

    /// Creates a service.
    public init() {}

    /// Refreshes the tokens.
    ///
    /// - Parameter completionCallback: A closure that is called once, on the main actor, with `true` if there are new tokens.
    @preconcurrency public func refreshToken(completionCallback: @escaping @MainActor (Bool) -> Void) {
        let tokens = Self.tokens
        // It ends at the latest with the time limit of the refresh.
        Task { @MainActor in completionCallback(await tokens?.refresh() ?? false) }
    }

    /// Stores tokens in place of the current ones. Later requests carry them.
    ///
    /// Set ``NetworkServiceConfiguration/baseUrl`` first. If tokens must not be sent to it, they are not stored, and a warning is
    /// logged.
    ///
    /// - Parameter oAuthModel: The tokens. Without an access token, nothing changes.
    public static func saveOAuthTokens(authenticationModel oAuthModel: OAuthTokenModel) {
        guard let new = OAuthTokens(oAuthModel) else { return }
        guard let tokens else {
            let url = Redaction.shortUrl(NetworkServiceConfiguration.baseUrl)
            LogManager.warning.warning("The tokens are not stored, because baseUrl is \(url): set an https URL first.")
            return
        }
        tokens.set(new)
    }

    /// Removes the stored access token and refresh token, without revoking them.
    public static func resetAuthTokens() {
        tokens?.set(nil)
    }

    /// Returns a Boolean value that indicates whether there is an access token that is valid or can be refreshed.
    ///
    /// The thread waits while the store is read, which is necessary at most until the first call.
    public static func findOAuthToken() -> Bool {
        tokens?.stored()?.isAvailable ?? false
    }

    /// Returns a Boolean value that indicates whether there is a refresh token; see ``findOAuthToken()``.
    public static func findOAuthRefreshToken() -> Bool {
        tokens?.stored()?.refreshToken != nil
    }

    private static var tokens: ServiceTokens? { SharedState.shared.withLock { $0.currentTokens() } }
}
