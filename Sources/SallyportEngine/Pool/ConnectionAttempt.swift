import NIOConcurrencyHelpers
import NIOCore
import SallyportTransport

/// The opening of one connection; it owns the task that does it.
final class ConnectionAttempt: Sendable {
    let origin: Origin

    /// The exchange for which it was begun. By the time it is done, another may be served first.
    let exchange: Exchange

    private struct State {
        var task: Task<Void, Never>?
        var channels: [any Channel] = []
        var isCancelled = false
    }

    private let state = NIOLockedValueBox(State())

    init(origin: Origin, exchange: Exchange) {
        self.origin = origin
        self.exchange = exchange
    }

    func start(
        with connector: Connector,
        on eventLoop: any EventLoop,
        makeConnection: @escaping Connector.MakeConnection,
        finish: @escaping @Sendable (Result<any Connection, NetworkError>) -> Void
    ) {
        let task = Task {
            do {
                let connection = try await connector.connect(
                    to: origin,
                    on: eventLoop,
                    timeouts: exchange.request.timeouts,
                    reach: exchange.reach,
                    register: register,
                    makeConnection: makeConnection
                )
                finish(.success(connection))
            } catch {
                finish(.failure(NetworkError(wrapping: error, reason: "no connection to \(origin.host)")))
            }
        }
        state.withLockedValue { $0.task = task }
    }

    /// Ends the attempt, which then reports its failure.
    func cancel() {
        let (task, channels) = state.withLockedValue { state in
            state.isCancelled = true
            return (state.task, state.channels)
        }
        task?.cancel()
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
