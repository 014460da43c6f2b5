import NIOCore

/// Collects the complete responses that an event loop receives in one turn, and passes them to their exchanges together.
///
/// Passing a response on resumes a task, which wakes a thread of Swift's pool if all of them are asleep. A wake-up costs as much as
/// parsing several small responses. Without the collection, many responses would cause one each.
final class ResponseDelivery {
    /// The maximum number of collected responses. It limits the delay of the first one, and lets several threads work.
    static let maximumCount = 16

    private let eventLoop: any EventLoop
    private var waiting: [(exchange: Exchange, parts: ResponseParts)] = []
    /// The number of exchanges that run on connections of the event loop.
    private var running = 0

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Counts an exchange that begins to run on a connection.
    func exchangeBegan() {
        running += 1
    }

    /// Counts an exchange that has left its connection.
    func exchangeLeft() {
        running -= 1
    }

    /// Passes the last parts of a response to an exchange that has left its connection: at once if no other exchange runs, or else at the
    /// end of the turn.
    func deliver(_ parts: ResponseParts, to exchange: Exchange) {
        eventLoop.assertInEventLoop()
        if running == 0, waiting.isEmpty {
            _ = exchange.receive(parts)
            return
        }
        waiting.append((exchange, parts))
        if waiting.count == 1 {
            // The event loop runs this after it has handled all events that are ready.
            eventLoop.assumeIsolated().execute { self.deliverWaiting() }
        } else if waiting.count >= Self.maximumCount {
            deliverWaiting()
        }
    }

    private func deliverWaiting() {
        let responses = waiting
        waiting = []
        for (exchange, parts) in responses { _ = exchange.receive(parts) }
    }
}
