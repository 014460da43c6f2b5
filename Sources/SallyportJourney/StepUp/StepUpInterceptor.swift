import Foundation
import Sallyport
import SallyportOAuth
import SallyportStorage

/// An interceptor that lets the user authenticate further when a server demands it, and then repeats the call.
///
/// It handles two demands:
/// - An ``Advice`` in a redirect (status 307) or a challenge (status 401). The user completes the tree of the advice. For a
///   transaction, the call is repeated with the parameter `_txid`.
/// - The challenge `insufficient_user_authentication` (RFC 9470). The user completes a tree again, and the call is repeated with new
///   tokens of ``Journey/oauthSession`` for the demanded `acr_values` and `max_age`.
///
/// The timeout of the call is paused meanwhile. A call is repeated once, and only if its body can be sent again. Calls that need a
/// step-up at the same time wait for each other.
///
/// ```swift
/// let api = client.derived { config in
///     config.authentication = [
///         StepUpInterceptor(journey, for: origins) { node in try await ask(&node) },
///         OAuthAuthentication(journey.oauthSession, for: origins),
///     ]
/// }
/// ```
///
/// Add it to `HttpClientConfiguration.authentication`, before the interceptor that adds tokens. An interceptor at another position does
/// not see redirects that the client follows.
public struct StepUpInterceptor: Interceptor {
    /// The trees for authentication context class references (`acr_values`). Others are met by the tree of the configuration.
    public var trees: [String: String] = [:]

    private let journey: Journey
    private let origins: OriginSet
    private let handler: NodeHandler
    private let mutex = AsyncMutex()

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - journey: The journey of the user.
    ///   - origins: The servers whose demands are met. A demand of another server is an ordinary response.
    ///   - handler: A closure that answers the nodes of a tree, for example by asking the user.
    public init(_ journey: Journey, for origins: OriginSet, answering handler: @escaping NodeHandler) {
        self.journey = journey
        self.origins = origins
        self.handler = handler
    }

    /// Sends the request, and again after a step-up if the server demands one.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let response = try await next(request)
        guard origins.contains(request), !request.carriesOwnCredentials, request.body.isReplayable else {
            return response
        }
        var request = request
        if let advice = Advice(in: response) {
            await response.discard()
            let cookies = response.request.getHeader(name: NetworkConstants.headerCookie)
            try await pausing(next) { try await meet(advice, of: cookies) }
            if let identifier = advice.transactionID { request.setParameter(name: "_txid", value: identifier) }
        } else if let demand = AuthenticationDemand(response) {
            await response.discard()
            let authorization = response.request.getHeader(name: NetworkConstants.headerAuthorization)
            try await pausing(next) { try await meet(demand, of: authorization) }
        } else {
            return response
        }
        return try await next(request)
    }

    /// Runs a step-up, whose time does not count towards the timeout of the call.
    private func pausing(_ next: Next, _ stepUp: () async throws -> Void) async throws(NetworkError) {
        do {
            try await next.pausingTimeout(stepUp)
        } catch {
            throw JourneyError(wrapping: error, reason: "the step-up failed").networkError
        }
    }

    /// Completes the tree of an advice, unless the session has been replaced since the request. A transaction has a tree of its own.
    ///
    /// - Parameter cookies: The `Cookie` header of the request, which may contain the session that does not suffice.
    private func meet(_ advice: Advice, of cookies: String?) async throws {
        try await mutex.withLock {
            let name = journey.configuration.cookieName + "="
            if advice.transactionID == nil, let cookies, cookies.contains(name),
                let token = try await journey.session()?.token, !cookies.contains(name + token)
            {
                return
            }
            _ = try await journey.stepUp(advice: advice).complete(answering: handler)
        }
    }

    /// Obtains new tokens after a tree, unless they have been replaced since the request.
    ///
    /// - Parameter authorization: The `Authorization` header of the request, which contains the token that does not suffice.
    private func meet(_ demand: AuthenticationDemand, of authorization: String?) async throws {
        try await mutex.withLock {
            let current = try await journey.oauthSession.current()?.accessToken
            if let current, let authorization, !authorization.hasSuffix(" \(current)") { return }
            let tree = demand.acrValues.lazy.compactMap { trees[$0] }.first
            _ = try await journey.start(tree, forceAuth: true).complete(answering: handler)
            try await journey.requestTokens(parameters: demand.parameters)
        }
    }
}

/// The demand of a resource server for a stronger or more recent authentication (RFC 9470, section 3).
private struct AuthenticationDemand {
    /// The authentication context class references, of which one has to be met.
    let acrValues: [String]
    /// The maximum time since the user authenticated, in seconds.
    let maxAge: Int?

    init?(_ response: HttpResponse) {
        let challenges = AuthenticationChallenge.all(in: response.getHeaders(name: "WWW-Authenticate"))
        guard response.status == .unauthorized, let challenge = challenges.first(where: \.demandsAuthentication) else {
            return nil
        }
        acrValues = (challenge.parameters["acr_values"] ?? "").split(separator: " ").map(String.init)
        maxAge = challenge.parameters["max_age"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The parameters of an authorization request that meets the demand.
    var parameters: [String: String] {
        var parameters: [String: String] = [:]
        if !acrValues.isEmpty { parameters["acr_values"] = acrValues.joined(separator: " ") }
        if let maxAge { parameters["max_age"] = "\(maxAge)" }
        return parameters
    }
}

extension HttpClientProtocol {
    /// Creates a client that adds the tokens of a journey to its requests, and lets the user authenticate further if a server
    /// demands it.
    ///
    /// ```swift
    /// let api = client.authorized(by: journey, for: "https://api.example.com") { node in
    ///     try await ask(&node)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - journey: The journey of the user.
    ///   - origins: The URLs of the servers that may receive the tokens and demand a step-up.
    ///   - handler: A closure that answers the nodes of a tree.
    /// - Returns: A client that shares this client's connections and configuration.
    /// - Throws: `NetworkError.invalidRequest` if an origin is invalid.
    public func authorized(
        by journey: Journey,
        for origins: String...,
        answering handler: @escaping NodeHandler
    ) throws(NetworkError) -> HttpClient {
        let origins = try OriginSet(origins)
        return asHttpClient().derived { config in
            let added: [any Interceptor] = [
                StepUpInterceptor(journey, for: origins, answering: handler),
                OAuthAuthentication(journey.oauthSession, for: origins),
            ]
            config.authentication = added + config.authentication
        }
    }
}
