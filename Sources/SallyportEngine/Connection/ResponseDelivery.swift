import NIOCore

/// Passes complete responses to their exchanges, those that an event loop receives in one turn together.
///
/// The first task that is resumed wakes a thread of Swift's pool if all of them sleep. If each response was passed on at once, a
/// thread would often have run its task and be asleep again when the next response arrives, and waking it costs as much as parsing
/// several small responses.
final class ResponseDelivery {
    /// The maximum number of responses that wait, so that the first one does not wait long and several threads can work. One wake-up
    /// for as many responses costs little.
    static let maximumCount = 16

    private let eventLoop: any EventLoop
    private var waiting: [(exchange: Exchange, parts: ResponseParts)] = []
    /// The number of exchanges that run on connections of the event loop.
    private var running = 0

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Must be called when an exchange begins to run on a connection.
    func exchangeBegan() {
        running += 1
    }

    /// Must be called when an exchange has left its connection.
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
            // Runs when the events that are ready have been handled.
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
