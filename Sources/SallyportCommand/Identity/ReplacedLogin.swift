import Foundation
import Sallyport
import SallyportJourney
import SallyportOAuth
import SallyportStorage

/// The previous login of a profile, as far as it belongs to another client or server than the new one. Only the previous server may
/// receive its tokens and its session.
struct ReplacedLogin: Sendable {
    private let previous: ProfileSession
    private let tokens: OAuthTokens?
    private let session: JourneySessionRecord?

    /// Loads the previous login before a new one replaces it.
    ///
    /// - Parameters:
    ///   - old: The previous profile.
    ///   - name: The name of both.
    ///   - new: The new profile.
    /// - Returns: `nil` if nothing is replaced, or if it cannot be read.
    init?(_ old: Profile?, named name: ProfileName, by new: Profile) async {
        guard let old, let previous = try? ProfileSession(old, named: name) else { return nil }
        self.previous = previous
        tokens = old.isSameClient(as: new) ? nil : try? await previous.session.current()
        let keepsSession = new.flow == .journey && old.journey?.hasSameSessions(as: new.journey) ?? true
        session =
            previous.journey == nil || keepsSession ? nil : try? await ProfileFolder().sessionStore(of: name).load()
        if tokens == nil, session == nil { return nil }
    }

    /// Ends the previous login, and prints a warning if a part of it may remain valid.
    ///
    /// - Parameter revokesTokens: A Boolean value that indicates whether the tokens are revoked.
    func end(revokesTokens: Bool) async {
        let server = previous.profile.issuer
        if let tokens, revokesTokens {
            do {
                try await previous.client.revoke(tokens)
            } catch {
                StandardError.print(
                    "Warning: the previous tokens of \(server) may remain valid until they expire: \(error)"
                )
            }
        }
        guard let session, let journey = previous.journey else { return }
        do {
            let ended = Journey(
                journey.configuration,
                sessionStore: MemorySessionStore(session),
                httpClient: previous.httpClient
            )
            try await ended.endSession()
        } catch {
            StandardError.print(
                "Warning: the previous session at \(server) may remain valid until it expires: \(error)"
            )
        }
    }
}
