import Foundation
import Sallyport
import SallyportOAuth

/// A refresher that sends a form (RFC 6749, section 6) without discovery or validation.
public struct FormRefresher: TokenRefresher {
    private struct Answer: Decodable {
        var access_token: String?
        var refresh_token: String?
        var token_type: String?
        var expires_in: Double?
        var error: String?
    }

    /// The identity of the client, regardless of the server.
    public static let identity = OAuthClientIdentity(issuer: "https://id.example.com", clientID: "pub")

    private let client: HttpClient
    private let url: String
    private let now: @Sendable () -> Date

    /// The identity of the client.
    public var identity: OAuthClientIdentity { Self.identity }

    /// Creates a refresher.
    public init(_ client: HttpClient, at url: String, now: @escaping @Sendable () -> Date = { Date() }) {
        self.client = client
        self.url = url
        self.now = now
    }

    /// Requests new tokens from the server.
    public func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        let response = try await client.request { request in
            request.url = url
            request.form(parameters: [
                ("grant_type", "refresh_token"), ("refresh_token", tokens.refreshToken ?? ""),
                ("client_id", identity.clientID),
            ])
            request.action = Action(.refreshToken)
        }
        let answer = try? JSONDecoder().decode(Answer.self, from: response.body ?? Data())
        guard response.status == .ok, let answer, let accessToken = answer.access_token else {
            throw OAuthError(
                error: answer?.error,
                status: response.status.code,
                body: response.body,
                failure: NetworkFailure("the server refused the refresh with \(response.status.code)")
            )
        }
        return OAuthTokens(
            accessToken: accessToken,
            tokenType: answer.token_type ?? "Bearer",
            expiresAt: answer.expires_in.map { now() + $0 },
            refreshToken: answer.refresh_token
        )
    }
}
