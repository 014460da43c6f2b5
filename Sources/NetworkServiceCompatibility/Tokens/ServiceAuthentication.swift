import Sallyport
import SallyportOAuth
import SallyportStorage

/// Adds the access token to requests to the server of the base URL, if there are tokens for it.
struct ServiceAuthentication: Interceptor {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard !request.carriesOwnCredentials, let tokens = SharedState.shared.withLock({ $0.currentTokens() }),
            try await tokens.exist()
        else { return try await next(request) }
        return try await OAuthAuthentication(tokens.session, for: [tokens.baseURL]).intercept(request, next: next)
    }
}
