import Foundation
import Sallyport
import SallyportOAuth

/// An interceptor that lets the user authenticate further when a server demands it, and then repeats the call.
///
/// It handles two demands:
/// - An ``Advice`` in a redirect (status 307) or a challenge (status 401). The user completes the tree of the advice. For a
///   transaction, the call is repeated with the parameter `_txid`.
/// - The challenge `insufficient_user_authentication` (RFC 9470). The user completes a tree again, and the call is repeated with new
///   tokens of ``Journey/oauthSession`` for the demanded `acr_values` and `max_age`.
///
/// The timeout of the call is paused meanwhile. A call is repeated once, and only if its body can be sent again. One step-up of a journey
/// runs at a time: further calls wait for it, and are repeated without asking the user again if it met their demand. A call that the
/// closure makes while it answers a node is not repeated.
///
/// If another user completes the tree, the call is not repeated. To compare the users, the tokens need an id_token (scope `openid`).
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

    /// The maximum duration of a step-up, including the wait for another one.
    public var limit = Duration.seconds(600)

    private let journey: Journey
    private let origins: OriginSet
    private let handler: NodeHandler

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - journey: The journey of the user.
    ///   - origins: The servers that may demand a step-up. A demand of another server is an ordinary response.
    ///   - handler: A closure that answers the nodes of a tree, for example by asking the user.
    public init(_ journey: Journey, for origins: OriginSet, answering handler: @escaping NodeHandler) {
        self.journey = journey
        self.origins = origins
        self.handler = handler
    }

    /// Sends the request, and again after a step-up if the server demands one.
    public func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let earlier = journey.stepUps.count
        let response = try await next(request)
        guard !journey.stepUps.isWithinStepUp, origins.contains(request), !request.carriesOwnCredentials,
            request.body.isReplayable
        else {
            return response
        }
        var request = request
        if let advice = Advice(in: response) {
            await response.discard()
            let demand = advice.transactionID == nil ? advice.xml : nil
            try await run(demand, after: earlier, next) { try await meet(advice) }
            if let identifier = advice.transactionID { request.setParameter(name: "_txid", value: identifier) }
        } else if let demand = AuthenticationDemand(response) {
            await response.discard()
            try await run(demand.text, after: earlier, next) { try await meet(demand) }
        } else {
            return response
        }
        return try await next(request)
    }

    /// Runs a step-up. Its time does not count towards the timeout of the call.
    private func run(
        _ demand: String?,
        after earlier: Int,
        _ next: Next,
        _ stepUp: @escaping @Sendable () async throws -> Void
    ) async throws(NetworkError) {
        let timeout = NetworkError.timeout(
            NetworkFailure("the step-up took longer than \(Quantity.time(limit))", advice: "make the call again")
        )
        do {
            try await next.pausingTimeout { () async throws in
                try await withTimeLimit(limit, orThrow: timeout) { [stepUps = journey.stepUps] in
                    try await stepUps.run(demand, after: earlier, stepUp)
                }
            }
        } catch {
            throw JourneyError(wrapping: error, reason: "the step-up failed").networkError
        }
    }

    /// Completes the tree of an advice.
    private func meet(_ advice: Advice) async throws {
        let user = try await currentUser()
        _ = try await journey.stepUp(advice: advice).complete(answering: handler)
        guard let user else { return }
        try check(try await journey.oauthSession.tokens(), areOf: user)
    }

    /// Completes a tree, and obtains new tokens.
    private func meet(_ demand: AuthenticationDemand) async throws {
        let user = try await currentUser()
        let tree = demand.acrValues.lazy.compactMap { trees[$0] }.first
        _ = try await journey.start(tree, forceAuth: true).complete(answering: handler)
        let tokens = try await journey.requestTokens(parameters: demand.parameters)
        if let user { try check(tokens, areOf: user) }
    }

    /// Returns the user of the stored tokens; `nil` if there are none, or if they do not state their user.
    private func currentUser() async throws -> String? {
        try await journey.oauthSession.current().flatMap(journey.subject)
    }

    private func check(_ tokens: OAuthTokens, areOf user: String) throws {
        guard let other = try journey.subject(of: tokens), other != user else { return }
        throw JourneyError.handler(
            NetworkFailure(
                "another user has signed in, so the call was not repeated",
                advice: "make the call again as this user"
            )
        )
    }
}

/// The demand of a resource server for a stronger or more recent authentication (RFC 9470, section 3).
private struct AuthenticationDemand {
    /// The authentication context class references. One of them must be met.
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

    /// A text that identifies the demand.
    var text: String { "\(acrValues.joined(separator: " ")) \(maxAge.map { "\($0)" } ?? "")" }

    /// The parameters of an authorization request that meets the demand.
    var parameters: [String: String] {
        var parameters: [String: String] = [:]
        if !acrValues.isEmpty { parameters["acr_values"] = acrValues.joined(separator: " ") }
        if let maxAge { parameters["max_age"] = "\(maxAge)" }
        return parameters
    }
}

extension HttpClient {
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
        return derived { config in
            let added: [any Interceptor] = [
                StepUpInterceptor(journey, for: origins, answering: handler),
                OAuthAuthentication(journey.oauthSession, for: origins),
            ]
            config.authentication = added + config.authentication
        }
    }
}
