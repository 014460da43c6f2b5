import Foundation
import HTTPTypes
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

    #if canImport(Darwin)
    deinit {
        // Otherwise the system would retain them, and a later service would have a second session with the same identifier.
        for session in sessions.withLock({ $0.values }) { session.invalidate() }
    }
    #endif

    /// Opens the queue of one transfer.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the transfer and its session.
    ///   - folder: The folder of the queue.
    ///   - client: The client that performs the transfer. If the system performs it instead, the system sends the client's
    ///     credentials and cookies.
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

    /// Sets the handler that tells the system that all events of a session have been handled. It is called on the main
    /// actor. Without sessions, there is nothing to wait for.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the session.
    ///   - client: The client. The system sends its credentials and cookies.
    ///   - completionHandler: The handler.
    package func handleEvents(
        of identifier: String,
        client: HttpClient,
        completionHandler: @escaping @MainActor () -> Void
    ) {
        #if canImport(Darwin)
        session(identifier, client).handleEvents(completionHandler)
        #else
        DispatchQueue.main.async { MainActor.assumeIsolated(completionHandler) }
        #endif
    }

    #if canImport(Darwin)
    private func session(_ identifier: String, _ client: HttpClient) -> BackgroundSession {
        sessions.withLock { sessions in
            if let session = sessions[identifier] { return session }
            let session = BackgroundSession(identifier: identifier) { request in
                try await request.prepare(by: client)
            }
            sessions[identifier] = session
            return session
        }
    }
    #endif
}

extension HttpClient {
    /// Returns the head of a request as this client would send it, with the effects of its interceptors, credentials and
    /// cookies, without sending it.
    ///
    /// - Throws: ``NetworkError`` if the client would not send the request, or has settings that the system cannot apply.
    func prepareForSystem(_ request: HttpRequest) async throws(NetworkError) -> HTTPRequest {
        if !configuration.sealing.isEmpty { throw .notBySystem("seal the bodies of transfers") }
        let capture = RequestCapture()
        let client = derived { config in config.addWireInterceptor(capture) }
        var request = request
        request.retry = .never
        let prepared = try await capture.request { [request] () async throws(NetworkError) in
            try await client.request(request: request)
        }
        let head = try prepared.head()
        let origin = try Origin(of: head)
        if configuration.pins.areEnforced(for: head.authority ?? "") {
            throw .notBySystem("check the pins of \(origin.host)")
        }
        let mustBeSecure = prepared.requiresSecureTransport || !configuration.allowsPlainHTTP
        if mustBeSecure, origin.scheme == .http, !origin.isLoopback { throw .cleartext(to: origin) }
        return head
    }
}

extension NetworkError {
    /// Returns the error for a client with a setting that the system cannot apply.
    fileprivate static func notBySystem(_ task: String) -> NetworkError {
        .invalidRequest(
            NetworkFailure(
                "the client is configured to \(task), which the system cannot do in a background session",
                advice: "perform the transfer without a background session, or with another client"
            )
        )
    }
}

#if canImport(Darwin)
extension URLRequest {
    /// Replaces the URL, the method and the header fields by those with which a client would send the request. They can contain
    /// credentials, which are not stored.
    fileprivate mutating func prepare(by client: HttpClient) async throws(NetworkError) {
        var request = HttpRequest(url: url?.absoluteString)
        request.setMethod(HttpMethod(rawValue: httpMethod ?? "GET") ?? .get)
        for (name, value) in allHTTPHeaderFields ?? [:] { request.setHeader(name: name, value: value) }
        guard let prepared = URLRequest(try await client.prepareForSystem(request)) else {
            throw .invalidRequest("the system does not accept the URL of the request")
        }
        self = prepared
    }
}
#endif
