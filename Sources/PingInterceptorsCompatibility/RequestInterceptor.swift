import Sallyport

/// A type that changes the requests that the SDK sends itself, in the form of the Ping SDK for iOS.
///
/// Classes and structures can conform. Register them with ``FRRequestInterceptorRegistry``. In new code, use an `Interceptor` that
/// reads `request.action`: it can throw errors, suspend, and change every part of a request.
///
/// ```swift
/// class ForceAuthInterceptor: RequestInterceptor {
///     func intercept(request: Request, action: Action) -> Request {
///         guard action.type == "AUTHORIZE" else { return request }
///         var urlParams = request.urlParams
///         urlParams["ForceAuth"] = "true"
///         return Request(
///             url: request.url,
///             method: request.method,
///             headers: request.headers,
///             bodyParams: request.bodyParams,
///             urlParams: urlParams,
///             requestType: request.requestType,
///             responseType: request.responseType,
///             timeoutInterval: request.timeoutInterval
///         )
///     }
/// }
/// ```
public protocol RequestInterceptor {
    /// Returns the request for the next interceptor or, from the last one, the request to send.
    ///
    /// It is called on any thread, but never for two requests at a time. It must not wait for another request of the SDK, which would
    /// wait for it in turn.
    ///
    /// - Parameters:
    ///   - request: The request, as changed by the previous interceptors.
    ///   - action: The purpose of the request.
    func intercept(request: Request, action: Action) -> Request

    /// Returns the cookies for the next interceptor or, from the last one, the cookies to send, as in the Ping SDK for Android.
    ///
    /// It is called once for each attempt, with the cookies of the client's jar and of the request. Their domain is the host of the request.
    /// A new cookie is sent if it belongs to the host and path, and is not stored. The default implementation returns the cookies unchanged.
    ///
    /// - Parameters:
    ///   - cookies: The cookies, as changed by the previous interceptors.
    ///   - action: The purpose of the request.
    func intercept(cookies: [Cookie], action: Action) -> [Cookie]
}

extension RequestInterceptor {
    /// Returns the cookies unchanged.
    public func intercept(cookies: [Cookie], action: Action) -> [Cookie] { cookies }
}

/// The purpose of a request that the SDK sends itself: a type of operation and its details.
///
/// ```swift
/// if action.type == "AUTHENTICATE", let tree = action.payload?["tree"] as? String { … }
/// ```
public struct Action {
    /// The type of operation, such as `START_AUTHENTICATE` or `REFRESH_TOKEN`.
    public let type: String

    /// Details of the operation: `tree` and `type` for START_AUTHENTICATE and AUTHENTICATE, `nil` for all others.
    ///
    /// The values have the types that `JSONSerialization` returns. They can be cast to types such as `String`, `Int` and `[String: Any]`.
    public let payload: [String: Any]?

    /// Creates an action, for example to test an interceptor.
    ///
    /// - Parameters:
    ///   - type: The type of operation.
    ///   - payload: The details of the operation.
    public init(type: String, payload: [String: Any]? = nil) {
        self.type = type
        self.payload = payload
    }

    init(_ action: Sallyport.Action) {
        self.init(type: action.type.rawValue, payload: action.payload?.mapValues(\.foundationValue))
    }
}
