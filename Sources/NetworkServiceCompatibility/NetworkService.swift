import Sallyport
import SallyportService
import SallyportStorage

/// The declaration of a request: its path, its method, and the model in the response.
///
/// ```swift
/// struct GetProfile: NetworkServiceDelegate {
///     static var path = "/profile"
///     static var method = NetworkServiceHTTPMethod.get
///     typealias V = Profile
/// }
/// ```
///
/// A call uses the values of the static properties at its start. In Swift 6 language mode, declare them with
/// `nonisolated(unsafe) static var`, and assign them only on the thread that starts the calls.
public protocol NetworkServiceDelegate {
    /// Creates an instance for ``NetworkService/requestEndPoint``.
    init()

    /// The path below ``NetworkServiceConfiguration/baseUrl``, possibly with a query.
    static var path: String { get set }

    /// The method. A GET sends its parameters in the query, a POST as JSON.
    static var method: NetworkServiceHTTPMethod { get set }

    /// The model in the `body` of the response.
    associatedtype V: BaseModel
}

/// The method of a request.
public enum NetworkServiceHTTPMethod: String, Sendable, CaseIterable {
    /// Retrieves data. Parameters are sent in the query.
    case get = "GET"
    /// Sends data. Parameters are sent as JSON.
    case post = "POST"

    var native: HttpMethod {
        switch self {
        case .get: .get
        case .post: .post
        }
    }
}

/// Makes the calls that a ``NetworkServiceDelegate`` declares.
///
/// ```swift
/// NetworkService<GetProfile>().call(requestParams: ["detailed": true]) { response, error in
///     print(response?.data?.name ?? response?.status?.message ?? error?.description ?? "")
/// }
/// ```
///
/// A call continues even if its service is released.
open class NetworkService<T: NetworkServiceDelegate> {
    /// The instance that the initializer created or received.
    public var requestEndPoint: T

    /// The configuration of the service.
    public var networkServiceConfiguration: NetworkServiceConfiguration

    private let task = Locked<Task<Void, Never>?>(nil)

    /// Creates a service with the default session.
    public init() {
        requestEndPoint = T()
        networkServiceConfiguration = NetworkServiceConfiguration()
    }

    /// Creates a service.
    public init(networkServiceConfiguration: NetworkServiceConfiguration) {
        requestEndPoint = T()
        self.networkServiceConfiguration = networkServiceConfiguration
    }

    /// Creates a service.
    public init(requestEndPoint: T, networkServiceConfiguration: NetworkServiceConfiguration) {
        self.requestEndPoint = requestEndPoint
        self.networkServiceConfiguration = networkServiceConfiguration
    }

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - requestParams: The parameters: strings, numbers, Boolean values, and arrays and dictionaries of them. `nil` sends none.
    ///   - callback: A closure that is called once, on the main actor, with either a response or an error. An unsuccessful call
    ///     passes a response if the server sent one with a status, and otherwise an error. If a response has no status and its
    ///     body is not a valid model, the call passes an error.
    @preconcurrency public func call(
        requestParams: [String: Any]?,
        callback: @escaping @MainActor (BaseResponse<T.V>?, NetworkServiceErrorInfo?) -> Void
    ) {
        do throws(NetworkServiceError) {
            let service = try networkServiceConfiguration.makeService()
            let endpoint = try PathEndpoint(T.self, parameters: requestParams)
            let call = start { () async throws(NetworkServiceError) in
                try await service.call(endpoint)
            } completion: { result in
                result.deliver(to: callback)
            }
            task.withLock { $0 = call }
        } catch {
            // It ends with the callback.
            Task { @MainActor in callback(nil, error.info) }
        }
    }

    /// Adds a header to ``NetworkServiceConfiguration/headers``, and so to the later requests of all services. A header that is
    /// already there keeps its value, as in the original library.
    public func addRequestHeader(key k: String, value v: String) {
        SharedState.shared.withLock { state in
            let isKnown = state.headers.keys.contains { $0.lowercased() == k.lowercased() }
            if !isKnown { state.headers[k] = v }
        }
    }

    /// Invalidates the session that the service shares with others of its session type. Calls in progress finish, and later
    /// calls begin a new session, without the cookies of the invalidated one.
    public func invalidateRelatedURLSession() {
        let type = networkServiceConfiguration.serviceSessionType
        SharedState.shared.withLock { $0.removeSession(type) }
    }

    /// Invalidates the sessions of all services; see ``invalidateRelatedURLSession()``.
    public func invalidateURLSessions() {
        SharedState.shared.withLock { $0.removeSessions() }
    }

    /// Cancels the last call of this service if it is in progress. Its callback receives an error.
    public func cancelCurrentRequest() {
        task.withLock { $0 }?.cancel()
    }
}
