import Sallyport
import SallyportOAuth
import SallyportService
import SallyportStorage

/// Refreshes tokens by the protocol of the original library; see ``OAuthTokenService``.
struct ServiceTokenRefresher: TokenRefresher {
    let identity: OAuthClientIdentity
    let baseURL: String

    func refresh(_ tokens: OAuthTokens) async throws -> OAuthTokens {
        do throws(NetworkServiceError) {
            let (service, path) = try SharedState.shared.withLock { state throws(NetworkServiceError) in
                (try state.makeService(NetworkServiceConfiguration(), baseURL: baseURL), state.refreshPath)
            }
            let endpoint = RefreshEndpoint(path: EndpointPath(path), refreshToken: tokens.refreshToken ?? "")
            let response = BaseResponse<OAuthTokenModel>(JSON: try await service.call(endpoint).members)
            guard let new = response?.data.flatMap(OAuthTokens.init) else {
                throw .missingBody(NetworkServiceErrorInfo("the response to the refresh has no access token"))
            }
            return new
        } catch {
            if let networkError = error.info.networkError { throw networkError }
            let status = error.info.status?.code
            let isInvalid = status.map { [400, 401, 403].contains($0) } ?? false
            let failure = NetworkFailure("the tokens were not refreshed: \(error.info)")
            throw OAuthError(error: isInvalid ? "invalid_grant" : nil, status: status, failure: failure)
        }
    }
}

private struct RefreshEndpoint: Endpoint {
    typealias Response = Envelope

    let path: EndpointPath
    let refreshToken: String

    var method: HttpMethod { .post }

    func prepare(_ request: inout HttpRequest) {
        request.setHeader(name: NetworkConstants.headerAuthorization, value: refreshToken, isSensitive: true)
        request.action = Action(.refreshToken)
        request.carriesOwnCredentials = true
        request.requiresSecureTransport = true
    }
}
