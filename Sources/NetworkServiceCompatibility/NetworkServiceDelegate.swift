import Sallyport

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
/// The static properties can be variables, whose values a call uses at its start. Swift 6 language mode refuses mutable static
/// properties: declare the path and the method with `static let` there.
public protocol NetworkServiceDelegate {
    /// Creates an instance for ``NetworkService/requestEndPoint``.
    init()

    /// The path below ``NetworkServiceConfiguration/baseUrl``, possibly with a query.
    static var path: String { get }

    /// The method. The parameters of a GET are sent in the query, those of a POST as JSON.
    static var method: NetworkServiceHTTPMethod { get }

    /// The model in the `body` of the response.
    associatedtype V: BaseModel
}

/// The method of a request.
public typealias NetworkServiceHTTPMethod = HttpMethod
