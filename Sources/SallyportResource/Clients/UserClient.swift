import Sallyport

/// Sends requests for resources of a user.
///
/// ``ResourceClient/userClient`` is one. ``SharedUserClient/instance`` belongs to the configured client.
public final class UserClient: Sendable {
    private let source: CoreSource

    init(_ source: CoreSource) {
        self.source = source
    }

    // MARK: Authenticated requests

    /// Sends a request with the access token of the user who has signed in.
    ///
    /// ```swift
    /// let response = try await SharedUserClient.instance.sendAuthenticatedRequest(request)
    /// ```
    ///
    /// The token is refreshed if necessary, and the request is sent again if the server rejects the first token.
    ///
    /// - Parameter resourceRequest: The request.
    /// - Returns: The response with a status of 200 to 299.
    /// - Throws: ``ResourceError``: ``ResourceError/Reason/userNotAuthenticated`` if the user must sign in; for another status, an error
    ///   with ``ResourceError/response``.
    public func sendAuthenticatedRequest(
        _ resourceRequest: ResourceRequest
    ) async throws(ResourceError) -> ResourceResponse {
        try await source.send(resourceRequest, as: .authenticated)
    }

    /// Sends a request with the access token of the user who has signed in; see ``sendAuthenticatedRequest(_:)``.
    ///
    /// - Parameters:
    ///   - resourceRequest: The request.
    ///   - completion: A closure that is called once, on the main actor, with the response, the error, or both if the server responded with
    ///     another status than 200 to 299.
    /// - Returns: The task of the call; `nil` if the SDK is not configured or the request is invalid, so that nothing is sent.
    @discardableResult
    public func sendAuthenticatedRequest(
        _ resourceRequest: ResourceRequest,
        completion: @escaping @MainActor (_ response: ResourceResponse?, _ error: ResourceError?) -> Void
    ) -> NetworkTask? {
        source.start(resourceRequest, as: .authenticated, completion: completion)
    }

    /// Signs a user in, and registers the user on this device for implicit calls.
    ///
    /// ```swift
    /// let user = try await userClient.registerUser(with: BrowserSignIn(SystemBrowser()), scopes: ["accounts"])
    /// ```
    ///
    /// - Parameters:
    ///   - signIn: The sign-in, such as a ``BrowserSignIn``.
    ///   - scopes: The scopes to request.
    /// - Returns: The subject identifier of the user.
    /// - Throws: ``ResourceError``.
    @discardableResult
    public func registerUser(
        with signIn: some DeviceSignIn,
        scopes: [String]
    ) async throws(ResourceError) -> String {
        try await source.core().registerUser(with: signIn, scopes: scopes)
    }

    /// The subject identifiers of the users who are registered on this device, in the order of their registration. No request is sent.
    public var registeredUsers: [String] {
        get async throws(ResourceError) { try await source.core().registeredUsers() }
    }

    /// Deregisters a user from this device, at the server and in the stores, and removes the tokens of the user.
    ///
    /// ```swift
    /// for user in try await userClient.registeredUsers { try await userClient.deregisterUser(user) }
    /// ```
    ///
    /// The integrity of the device is not checked, so that a registration can always be ended.
    ///
    /// - Parameter user: The subject identifier of the user. A user who is not registered is not an error.
    /// - Throws: ``ResourceError``. The call can be repeated. If the server could not be reached, the user is still registered.
    public func deregisterUser(_ user: String) async throws(ResourceError) {
        try await source.core().deregisterUser(user)
    }

    /// The access token of the user who has signed in, which may have expired; `nil` if there is none.
    ///
    /// It is a secret. Calls do not need it.
    public var accessToken: String? {
        get async throws(ResourceError) { try await source.core().userTokens()?.accessToken }
    }

    /// The id_token of the user who has signed in; `nil` if there is none.
    public var idToken: String? {
        get async throws(ResourceError) { try await source.core().userTokens()?.idToken }
    }

    // MARK: Implicit requests

    /// Authenticates a user who is registered on this device, without interaction, for the implicit requests from now on.
    ///
    /// - Parameters:
    ///   - user: The subject identifier of the user, as ``registerUser(with:scopes:)`` returned it.
    ///   - scopes: The scopes to request.
    /// - Throws: ``ResourceError``: ``ResourceError/Reason/userDeregistered`` if the user is not registered on this device.
    public func implicitlyAuthenticate(user: String, scopes: [String]) async throws(ResourceError) {
        try await source.core().implicitlyAuthenticate(user: user, scopes: scopes)
    }

    /// Authenticates a user without interaction; see ``implicitlyAuthenticate(user:scopes:)``.
    ///
    /// - Parameters:
    ///   - user: The subject identifier of the user.
    ///   - scopes: The scopes to request.
    ///   - completion: A closure that is called once, on the main actor, with the error, if there is one.
    public func implicitlyAuthenticate(
        user: String,
        scopes: [String],
        completion: @escaping @MainActor (_ error: ResourceError?) -> Void
    ) {
        source.perform(
            { core async throws(ResourceError) in try await core.implicitlyAuthenticate(user: user, scopes: scopes) },
            completion: completion
        )
    }

    /// Sends a request with the token of the user of ``implicitlyAuthenticate(user:scopes:)``.
    ///
    /// - Parameter resourceRequest: The request.
    /// - Returns: The response with a status of 200 to 299.
    /// - Throws: ``ResourceError``: ``ResourceError/Reason/userNotImplicitlyAuthenticated`` if there is no such user; for another status,
    ///   an error with ``ResourceError/response``.
    public func sendImplicitRequest(
        _ resourceRequest: ResourceRequest
    ) async throws(ResourceError) -> ResourceResponse {
        try await source.send(resourceRequest, as: .implicit)
    }

    /// Sends a request with the token of an implicit user; see ``sendImplicitRequest(_:)``.
    ///
    /// - Parameters:
    ///   - resourceRequest: The request.
    ///   - completion: A closure that is called once, on the main actor; see ``sendAuthenticatedRequest(_:completion:)``.
    /// - Returns: The task of the call; `nil` if the SDK is not configured or the request is invalid, so that nothing is sent.
    @discardableResult
    public func sendImplicitRequest(
        _ resourceRequest: ResourceRequest,
        completion: @escaping @MainActor (_ response: ResourceResponse?, _ error: ResourceError?) -> Void
    ) -> NetworkTask? {
        source.start(resourceRequest, as: .implicit, completion: completion)
    }
}

/// The ``UserClient`` of the client that ``ResourceClient/configure(_:stores:http:)`` has created.
public enum SharedUserClient {
    /// The client. Before the configuration, its calls fail with ``ResourceError/Reason/notConfigured``, and nothing is sent.
    public static let instance = UserClient(.shared)
}
