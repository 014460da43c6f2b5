extension UserClient {
    /// Sends a request with the access token of the user; see ``sendAuthenticatedRequest(_:completion:)``.
    @available(*, deprecated, renamed: "sendAuthenticatedRequest(_:completion:)")
    @discardableResult
    public func fetchResource(
        _ request: ResourceRequest,
        completion: @escaping @MainActor (_ response: ResourceResponse?, _ error: ResourceError?) -> Void
    ) -> NetworkTask? {
        sendAuthenticatedRequest(request, completion: completion)
    }

    /// Sends a request with the token of an implicit user; see ``sendImplicitRequest(_:completion:)``.
    @available(*, deprecated, renamed: "sendImplicitRequest(_:completion:)")
    @discardableResult
    public func fetchImplicitResource(
        _ request: ResourceRequest,
        completion: @escaping @MainActor (_ response: ResourceResponse?, _ error: ResourceError?) -> Void
    ) -> NetworkTask? {
        sendImplicitRequest(request, completion: completion)
    }

    /// The client of ``SharedUserClient``.
    @available(*, deprecated, message: "use SharedUserClient.instance")
    public static func sharedInstance() -> UserClient { SharedUserClient.instance }
}

extension DeviceClient {
    /// Sends a request with the access token of the device; see ``sendAuthenticatedRequest(_:completion:)``.
    @available(*, deprecated, renamed: "sendAuthenticatedRequest(_:completion:)")
    @discardableResult
    public func fetchResource(
        _ request: ResourceRequest,
        completion: @escaping @MainActor (_ response: ResourceResponse?, _ error: ResourceError?) -> Void
    ) -> NetworkTask? {
        sendAuthenticatedRequest(request, completion: completion)
    }

    /// Sends a request without a token; see ``sendUnauthenticatedRequest(_:completion:)``.
    @available(*, deprecated, renamed: "sendUnauthenticatedRequest(_:completion:)")
    @discardableResult
    public func fetchUnauthenticatedResource(
        _ request: ResourceRequest,
        completion: @escaping @MainActor (_ response: ResourceResponse?, _ error: ResourceError?) -> Void
    ) -> NetworkTask? {
        sendUnauthenticatedRequest(request, completion: completion)
    }

    /// The client of ``SharedDeviceClient``.
    @available(*, deprecated, message: "use SharedDeviceClient.instance")
    public static func sharedInstance() -> DeviceClient { SharedDeviceClient.instance }
}

/// The older name of ``UserClient``.
@available(*, deprecated, renamed: "UserClient")
public typealias ONGUserClient = UserClient

/// The older name of ``DeviceClient``.
@available(*, deprecated, renamed: "DeviceClient")
public typealias ONGDeviceClient = DeviceClient

/// The older name of ``ResourceRequest``.
@available(*, deprecated, renamed: "ResourceRequest")
public typealias ONGResourceRequest = ResourceRequest

/// The older name of ``MutableResourceRequest``.
@available(*, deprecated, renamed: "MutableResourceRequest")
public typealias ONGMutableRequest = MutableResourceRequest

/// The older name of ``RequestBuilder``.
@available(*, deprecated, renamed: "RequestBuilder")
public typealias ONGRequestBuilder = RequestBuilder

/// The older name of ``ResourceResponse``.
@available(*, deprecated, renamed: "ResourceResponse")
public typealias ONGResourceResponse = ResourceResponse

/// The older name of ``NetworkTask``.
@available(*, deprecated, renamed: "NetworkTask")
public typealias ONGNetworkTask = NetworkTask

/// The older names of the errors that only calls as a user have.
@available(*, deprecated, message: "use ResourceError.Code")
public enum ONGFetchResourceError {
    /// The user is not authenticated.
    public static let UserNotAuthenticated = ResourceError.Code.userNotAuthenticated
}
