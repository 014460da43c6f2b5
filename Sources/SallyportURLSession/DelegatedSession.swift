import Foundation
import SallyportTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One session of the system, with a delegate of its own.
struct DelegatedSession: Sendable {
    private let session: URLSession
    private let events: URLSessionEvents

    init(_ configuration: TransportConfiguration, _ security: SessionSecurity) {
        events = URLSessionEvents(security)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: .sallyport(configuration), delegate: events, delegateQueue: queue)
    }

    /// Makes the task that sends a request; its events are the exchange's from now on.
    func makeTask(
        for request: SessionRequest,
        from source: SessionRequest.Source,
        in exchange: URLSessionExchange
    ) -> URLSessionTask {
        let task = request.makeTask(from: source, in: session)
        events.watch(task, for: exchange)
        return task
    }

    /// - Parameter isGentle: Whether the tasks under way may finish.
    func end(isGentle: Bool) {
        if isGentle { session.finishTasksAndInvalidate() } else { session.invalidateAndCancel() }
    }
}
