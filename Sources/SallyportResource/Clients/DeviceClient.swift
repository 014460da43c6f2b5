import Sallyport

/// Sends requests for resources that do not belong to a user.
///
/// ``ResourceClient/deviceClient`` is one. ``SharedDeviceClient/instance`` belongs to the configured client.
public final class DeviceClient: Sendable {
    private let source: CoreSource

    init(_ source: CoreSource) {
        self.source = source
    }

    // MARK: Anonymous requests

    /// Authenticates the device, which is registered first if it is not.
    ///
    /// - Parameter scopes: The scopes to request.
    /// - Throws: ``ResourceError``: ``ResourceError/Reason/deviceNotValid`` if the server does not accept the app or the device.
    public func authenticateDevice(scopes: [String]) async throws(ResourceError) {
        try await source.core().authenticateDevice(scopes: scopes)
    }

    /// Authenticates the device; see ``authenticateDevice(scopes:)``.
    ///
    /// - Parameters:
    ///   - scopes: The scopes to request.
    ///   - completion: A closure that is called once, on the main actor, with the error, if there is one.
    public func authenticateDevice(
        scopes: [String],
        completion: @escaping @MainActor (_ error: ResourceError?) -> Void
    ) {
        source.perform(
            { core async throws(ResourceError) in try await core.authenticateDevice(scopes: scopes) },
            completion: completion
        )
    }

    /// Deregisters the device and its users at the server, and removes its key, its registration and all tokens.
    ///
    /// ```swift
    /// try await SharedDeviceClient.instance.resetDevice()
    /// ```
    ///
    /// The next ``authenticateDevice(scopes:)`` registers the device with a new key. The integrity of the device is not checked, so that a
    /// registration can always be ended.
    ///
    /// - Parameter locally: A Boolean value that indicates whether no request is sent, for a server that cannot be reached any more. The
    ///   registration and the tokens then remain valid there.
    /// - Throws: ``ResourceError``. The call can be repeated. If the server could not be reached, nothing has been removed.
    public func resetDevice(locally: Bool = false) async throws(ResourceError) {
        try await source.core().resetDevice(locally: locally)
    }

    /// Sends a request with the access token of the device.
    ///
    /// ```swift
    /// try await SharedDeviceClient.instance.authenticateDevice(scopes: ["catalog"])
    /// let response = try await SharedDeviceClient.instance.sendAuthenticatedRequest(request)
    /// ```
    ///
    /// - Parameter resourceRequest: The request.
    /// - Returns: The response with a status of 200 to 299.
    /// - Throws: ``ResourceError``: ``ResourceError/Reason/deviceNotRegistered``, ``ResourceError/Reason/deviceNotValid`` or
    ///   ``ResourceError/Reason/deviceNotAuthenticated`` if there is no token; for another status, an error with
    ///   ``ResourceError/response``.
    public func sendAuthenticatedRequest(
        _ resourceRequest: ResourceRequest
    ) async throws(ResourceError) -> ResourceResponse {
        try await source.send(resourceRequest, as: .anonymous)
    }

    /// Sends a request with the access token of the device; see ``sendAuthenticatedRequest(_:)``.
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
        source.start(resourceRequest, as: .anonymous, completion: completion)
    }

    // MARK: Unauthenticated requests

    /// Sends a request without a token. The pins and the integrity of the device are checked as for other requests.
    ///
    /// - Parameter resourceRequest: The request.
    /// - Returns: The response with a status of 200 to 299.
    /// - Throws: ``ResourceError``; for another status, an error with ``ResourceError/response``.
    public func sendUnauthenticatedRequest(
        _ resourceRequest: ResourceRequest
    ) async throws(ResourceError) -> ResourceResponse {
        try await source.send(resourceRequest, as: .unauthenticated)
    }

    /// Sends a request without a token; see ``sendUnauthenticatedRequest(_:)``.
    ///
    /// - Parameters:
    ///   - resourceRequest: The request.
    ///   - completion: A closure that is called once, on the main actor; see ``sendAuthenticatedRequest(_:completion:)``.
    /// - Returns: The task of the call; `nil` if the SDK is not configured or the request is invalid, so that nothing is sent.
    @discardableResult
    public func sendUnauthenticatedRequest(
        _ resourceRequest: ResourceRequest,
        completion: @escaping @MainActor (_ response: ResourceResponse?, _ error: ResourceError?) -> Void
    ) -> NetworkTask? {
        source.start(resourceRequest, as: .unauthenticated, completion: completion)
    }
}

/// The ``DeviceClient`` of the client that ``ResourceClient/configure(_:stores:http:)`` has created.
public enum SharedDeviceClient {
    /// The client. Before the configuration, its calls fail with ``ResourceError/Reason/notConfigured``, and nothing is sent.
    public static let instance = DeviceClient(.shared)
}
