import Foundation
import Logging
import Sallyport

/// The settings of a client.
///
/// ```swift
/// let client = HttpClient.createClient { config in
///     config.timeout = 30
///     config.onRequest { request in request.setHeader(name: "User-Agent", value: "MyApp/1.0") }
/// }
/// ```
public final class HttpClientConfig {
    private(set) var native: HttpClientConfiguration

    init(_ configuration: HttpClientConfiguration) {
        native = configuration
        native.standardHeaders = StandardHeaders(requestedWith: "ping-sdk", requestedPlatform: "ios")
        native.addWireInterceptor(URLProtocolInterceptor())
    }

    /// The maximum duration of a call, in seconds. The default is 15.
    ///
    /// With a value that is not greater than zero, every call fails with ``NetworkError/invalidRequest(_:)``.
    public var timeout: TimeInterval {
        get { native.timeout }
        set { native.timeout = newValue }
    }

    /// The logger for calls. The default logs nothing. Secrets are masked at every level.
    public var logger: Logger {
        get { native.logger }
        set { native.logger = newValue }
    }

    /// Adds a closure that can change each request before it is sent. The closures are called in the order of registration.
    ///
    /// They receive a copy of a stored request, which therefore stays unchanged when it is sent.
    public func onRequest(_ interceptor: @escaping @Sendable (any HttpRequest) -> Void) {
        native.onRequest { request in
            let copy = SallyportRequest(request)
            interceptor(copy)
            request = copy.native
        }
    }

    /// Adds a closure that receives each response. The closures are called in the order of registration.
    public func onResponse(_ interceptor: @escaping @Sendable (any HttpResponse) -> Void) {
        native.onResponse { response in interceptor(SallyportResponse(response)) }
    }
}
