import Foundation
import Sallyport
import SallyportStorage
import SallyportTransport

#if canImport(Darwin) && canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The background sessions of single transfers that outlive the process, each found again by the transfer's identifier.
///
/// Apple's systems perform each transfer in a `URLSession` of its own. Elsewhere there are no such sessions, and the
/// process that runs the queue of a transfer performs it with a client.
package final class BackgroundSessions: Sendable {
    #if canImport(Darwin)
    /// A process must not have two sessions with the same identifier.
    private let sessions = Locked<[String: BackgroundSession]>([:])
    #endif

    package init() {}

    /// Opens the queue of one transfer.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the transfer and its session.
    ///   - folder: The folder of the queue.
    ///   - client: The client that performs the transfer, or whose credentials and cookies the system sends with it.
    /// - Throws: ``TransferError`` if the folder cannot be created, or is accessible to others.
    package func queue(
        of identifier: String,
        in folder: URL,
        client: HttpClient,
        options: TransferQueueOptions
    ) throws(TransferError) -> TransferQueue {
        #if canImport(Darwin)
        try TransferQueue(folder: folder, background: session(identifier, client), options: options)
        #else
        try TransferQueue(folder: folder, client: client, options: options)
        #endif
    }

    /// Invalidates the session of a transfer that has ended.
    package func end(_ identifier: String) {
        #if canImport(Darwin)
        sessions.withLock { $0.removeValue(forKey: identifier) }?.invalidate()
        #endif
    }

    /// Sets the handler that tells the system that all events of a session have been handled. Without sessions, it is
    /// called soon.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the session.
    ///   - client: The client whose credentials and cookies the system sends.
    ///   - completionHandler: The handler.
    package func handleEvents(
        of identifier: String,
        client: HttpClient,
        completionHandler: @escaping @MainActor () -> Void
    ) {
        #if canImport(Darwin)
        session(identifier, client).handleEvents(completionHandler)
        #else
        // It ends with the handler.
        Task { @MainActor in completionHandler() }
        #endif
    }

    #if canImport(Darwin)
    private func session(_ identifier: String, _ client: HttpClient) -> BackgroundSession {
        sessions.withLock { sessions in
            if let session = sessions[identifier] { return session }
            let session = BackgroundSession(identifier: identifier) { request in
                try await request.addHeaders(of: client)
            }
            sessions[identifier] = session
            return session
        }
    }
    #endif
}

extension HttpClient {
    /// Returns a request as this client would send it, with the effects of its interceptors, credentials and cookies,
    /// without sending it.
    ///
    /// - Throws: ``NetworkError`` if the client would not send the request.
    func prepareForSystem(_ request: HttpRequest) async throws(NetworkError) -> HttpRequest {
        let prepared = Locked<HttpRequest?>(nil)
        let client = derived { config in
            config.addWireInterceptor(RequestCapture { request in prepared.withLock { $0 = request } })
        }
        var request = request
        request.retry = .never
        let outcome: Result<HttpResponse, NetworkError> = await client.request(request: request)
        if let prepared = prepared.withLock({ $0 }) { return prepared }
        _ = try outcome.get()
        throw .invalidRequest("an interceptor answered the request, which the system cannot perform then")
    }
}

/// Passes each request to a closure instead of sending it.
private struct RequestCapture: Interceptor {
    struct NotSent: Error {}

    let capture: @Sendable (HttpRequest) -> Void

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        capture(request)
        throw NotSent()
    }
}

#if canImport(Darwin)
extension URLRequest {
    /// Adds the headers that a client would send with this request and that are not stored, such as `Authorization`.
    fileprivate mutating func addHeaders(of client: HttpClient) async throws(NetworkError) {
        var request = HttpRequest(url: url?.absoluteString)
        request.setMethod(HttpMethod(rawValue: httpMethod ?? "GET") ?? .get)
        for (name, value) in allHTTPHeaderFields ?? [:] { request.setHeader(name: name, value: value) }
        let prepared = try await client.prepareForSystem(request)
        for (name, value) in prepared.getHeaders() { setValue(value, forHTTPHeaderField: name) }
    }
}
#endif
