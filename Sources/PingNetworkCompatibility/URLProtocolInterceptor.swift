import Foundation
import Sallyport
import SallyportStorage

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLProtocol {
    /// The registered classes, beginning with the last. They are global, like the registry of Foundation, which cannot be read.
    fileprivate static let registered = Locked<[URLProtocol.Type]>([])

    /// Registers a class that answers the requests of all clients of PingNetwork, for tests.
    ///
    /// Where this module is imported, it replaces Foundation's method of that name, which it also calls, so that the class answers the
    /// requests of `URLSession.shared` as well. On Linux, register the class before the process creates its first `URLSession`.
    ///
    /// ```swift
    /// URLProtocol.registerClass(MockURLProtocol.self)
    /// ```
    ///
    /// - Returns: `true`.
    @discardableResult
    public class func registerClass(_ type: URLProtocol.Type) -> Bool {
        registered.withLock { $0.insert(type, at: 0) }
        return registerClass(type as AnyClass)
    }

    /// Removes a class that ``registerClass(_:)`` has registered.
    public class func unregisterClass(_ type: URLProtocol.Type) {
        registered.withLock { $0.removeAll { $0 == type } }
        unregisterClass(type as AnyClass)
    }
}

/// Lets the registered `URLProtocol` classes answer requests instead of the network.
struct URLProtocolInterceptor: Interceptor {
    func intercept(_ request: Sallyport.HttpRequest, next: Next) async throws -> Sallyport.HttpResponse {
        let classes = URLProtocol.registered.withLock { $0 }
        if classes.isEmpty { return try await next(request) }
        var request = request
        request.url = try RequestTarget(url: request.url, parameters: request.parameters).url
        request.parameters = []
        let outgoing = try URLRequest(request)
        guard classes.contains(where: { $0.canInit(with: outgoing) }) else { return try await next(request) }

        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = classes
        configuration.httpShouldSetCookies = false
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        let (body, response) = try await withThrowingTaskGroup(of: (Data, URLResponse).self) { group in
            defer { group.cancelAll() }
            group.addTask { try await session.answer(to: outgoing) }
            if let limit = [next.timeLeft(for: request), request.timeouts?.idle].compactMap(\.self).min() {
                group.addTask {
                    try await next.wait(for: limit)
                    throw Sallyport.NetworkError.timeout("the URLProtocol class did not answer in time")
                }
            }
            guard let answer = try await group.next() else { throw CancellationError() }
            return answer
        }
        return try Sallyport.HttpResponse(response, body, to: request)
    }
}

extension URLSession {
    /// Returns the response to a request.
    ///
    /// It returns as soon as the task is cancelled, although the class may never end its request.
    fileprivate func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
        let (answers, continuation) = AsyncThrowingStream.makeStream(of: (Data, URLResponse).self)
        let task = dataTask(with: request) { body, response, error in
            if let body, let response { continuation.yield((body, response)) }
            continuation.finish(throwing: error)
        }
        task.resume()
        defer { task.cancel() }
        for try await answer in answers { return answer }
        throw CancellationError()
    }
}

extension URLRequest {
    fileprivate init(_ request: Sallyport.HttpRequest) throws {
        let head = try request.head()
        guard let url = request.url.flatMap({ URL(string: $0) }) else {
            throw Sallyport.NetworkError.invalidRequest("Foundation does not accept the URL of the request")
        }
        self.init(url: url)
        httpMethod = head.method.rawValue
        for field in head.headerFields { addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        if case .data(let body) = request.body { httpBody = body }
    }
}

extension Sallyport.HttpResponse {
    fileprivate init(_ response: URLResponse, _ body: Data, to request: Sallyport.HttpRequest) throws {
        guard let response = response as? HTTPURLResponse, (100...999).contains(response.statusCode) else {
            throw Sallyport.NetworkError.invalidResponse("the URLProtocol class did not return an HTTP response")
        }
        self.init(
            status: HttpStatus(code: response.statusCode),
            headers: HttpHeaders(joinedFields: response.allHeaderFields),
            body: body,
            request: request
        )
    }
}
