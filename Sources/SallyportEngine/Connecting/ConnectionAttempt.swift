import NIOConcurrencyHelpers
import NIOCore
import SallyportTransport

/// One attempt to open a connection for the pool.
///
/// The pool creates it, and ``Connector`` performs it. The pool can cancel it at any time, from any thread.
final class ConnectionAttempt: Sendable {
    let origin: Origin

    /// The exchange that the attempt was started for: its timeouts apply, and its phase follows the attempt's progress.
    ///
    /// The opened connection may serve another exchange first.
    let exchange: Exchange

    let loop: EventLoops.Loop
    let owner: any ConnectionOwner

    /// A Boolean value that indicates whether only HTTP/1.1 is offered to the server.
    let requiresHTTP1: Bool

    private struct State {
        var channels: [any Channel] = []
        var isCancelled = false
    }

    private let state = NIOLockedValueBox(State())

    init(
        to origin: Origin,
        for exchange: Exchange,
        on loop: EventLoops.Loop,
        owner: any ConnectionOwner,
        requiresHTTP1: Bool
    ) {
        self.origin = origin
        self.exchange = exchange
        self.loop = loop
        self.owner = owner
        self.requiresHTTP1 = requiresHTTP1
    }

    var eventLoop: any EventLoop { loop.eventLoop }
    var timeouts: Timeouts { exchange.request.timeouts }

    /// Registers a channel before it connects, so that ``cancel()`` closes it.
    ///
    /// - Throws: ``NetworkError/clientClosed(_:)`` if the attempt has been cancelled.
    func register(_ channel: any Channel) throws(NetworkError) {
        let isCancelled = state.withLockedValue { state in
            state.channels.append(channel)
            return state.isCancelled
        }
        if isCancelled { throw .closed }
    }

    /// Closes the attempt's channels, so that the attempt fails.
    func cancel() {
        let channels = state.withLockedValue { state in
            state.isCancelled = true
            return state.channels
        }
        for channel in channels { channel.close(mode: .all, promise: nil) }
    }
}

/// The parameters of a new connection: a channel that is ready for HTTP, and what the connection needs to use it.
///
/// It is created and used on the channel's event loop.
struct ConnectionSetup {
    let channel: any Channel
    let origin: Origin
    let owner: any ConnectionOwner
    let watch: DeadlineWatch
    let delivery: ResponseDelivery
    let configuration: TransportConfiguration
    var facts = ConnectionFacts()
}
