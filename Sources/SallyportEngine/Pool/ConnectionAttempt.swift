import NIOConcurrencyHelpers
import NIOCore
import SallyportTransport

/// The opening of one connection.
final class ConnectionAttempt: Sendable {
    let origin: Origin

    /// The exchange for which it was begun. By the time it is done, another may be served first.
    let exchange: Exchange

    private struct State {
        var channels: [any Channel] = []
        var isCancelled = false
    }

    private let state = NIOLockedValueBox(State())

    init(origin: Origin, exchange: Exchange) {
        self.origin = origin
        self.exchange = exchange
    }

    /// - Parameter finish: Called on the event loop.
    func start(
        with connector: Connector,
        on eventLoop: any EventLoop,
        makeConnection: @escaping Connector.MakeConnection,
        finish: @escaping @Sendable (Result<any Connection, NetworkError>) -> Void
    ) {
        connector.connect(
            to: origin,
            on: eventLoop,
            timeouts: exchange.request.timeouts,
            reach: exchange.reach,
            register: register,
            makeConnection: makeConnection
        )
        .whenComplete { [origin] outcome in
            finish(outcome.mapError { NetworkError(wrapping: $0, reason: "no connection to \(origin.host)") })
        }
    }

    /// Ends the attempt, which then reports its failure.
    func cancel() {
        let channels = state.withLockedValue { state in
            state.isCancelled = true
            return state.channels
        }
        for channel in channels { channel.close(mode: .all, promise: nil) }
    }

    /// Remembers a channel that is being connected. Fails when the attempt has been cancelled meanwhile.
    private func register(_ channel: any Channel) throws(NetworkError) {
        let isCancelled = state.withLockedValue { state in
            state.channels.append(channel)
            return state.isCancelled
        }
        if isCancelled { throw .closed }
    }
}
