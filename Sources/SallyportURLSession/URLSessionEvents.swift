import Foundation
import SallyportStorage
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of a session, which passes events to their exchanges.
final class URLSessionEvents: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Locked<[Int: URLSessionExchange]>([:])
    private let hasComparedPins = Locked(false)

    let security: SessionSecurity

    init(_ security: SessionSecurity) {
        self.security = security
    }

    /// Records that a chain has been compared with the pins of the session's hosts.
    func comparedPins() {
        hasComparedPins.withLock { $0 = true }
    }

    /// Passes the events of a task to an exchange until the task completes.
    func watch(_ task: URLSessionTask, for exchange: URLSessionExchange) {
        exchanges.withLock { $0[task.taskIdentifier] = exchange }
    }

    /// Returns the exchange of a task.
    func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(task)?.sent(totalBytesSent)
    }

    /// Called before the task completes, on Apple platforms only.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        exchange(task)?.collected(metrics)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let exchange = exchange(dataTask)
        do throws(NetworkError) {
            // The system does not call the delegate for a connection that resumes a TLS session.
            try exchange?.checkPins(of: security, hasComparedPins.withLock { $0 })
            exchange?.received(response)
            completionHandler(.allow)
        } catch {
            exchange?.fail(error)
            completionHandler(.cancel)
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.completed(task.response, error)
    }

    #if !canImport(Darwin)
    /// Treats a 401 like other responses.
    ///
    /// FoundationNetworking calls this after the complete response, sends the request again with its own credentials regardless of the
    /// disposition, and traps on Digest. Therefore the completion handler is not called, and the task ends here.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.completed(task.response, nil)
        task.cancel()
    }
    #endif
}
