import SallyportTransport

/// Sees each request on its way out and its response on the way back.
///
/// An interceptor may change the request, answer it itself, refuse it by throwing, or send it more than once. The
/// built-in stages are interceptors too, and can do no more than these.
///
/// ```swift
/// struct Timing: Interceptor {
///     func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
///         let start = ContinuousClock.now
///         let response = try await next(request)
///         print(response, ContinuousClock.now - start)
///         return response
///     }
/// }
/// ```
public protocol Interceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request, as the interceptors before this one have left it.
    ///   - next: Sends a request through the interceptors after this one, and to the server.
    /// - Returns: The response for the interceptors before this one.
    /// - Throws: ``NetworkError``, or anything else, which reaches the caller as ``NetworkError/networkError(_:)``.
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse

    /// What an ``InterceptorTrace`` calls it: the name of its type, unless it says otherwise.
    var traceName: String { get }
}

extension Interceptor {
    /// The name of the type.
    public var traceName: String { "\(Self.self)" }
}

/// The rest of the way: the interceptors after the present one, and the transport.
public struct Next: Sendable {
    let pipeline: Pipeline
    let position: Int
    let call: Call

    /// Sends a request on. It may be called several times, one after the other.
    ///
    /// - Parameter request: The request to send.
    /// - Returns: The response.
    /// - Throws: ``NetworkError`` naming the request.
    public func callAsFunction(_ request: HttpRequest) async throws(NetworkError) -> HttpResponse {
        do throws(NetworkError) {
            return try await pipeline.run(request, from: position, of: call)
        } catch {
            throw error.naming(request.description)
        }
    }
}
