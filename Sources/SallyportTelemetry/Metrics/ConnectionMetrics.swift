import CoreMetrics
import Sallyport

/// The metrics of connections.
struct ConnectionMetrics: TransportObserver {
    private struct ServerInstruments: Sendable {
        let open: Meter
        let opened: Counter
        let closed: Counter
        let waiting: Meter
        let sent: Counter
        let received: Counter
    }

    private let servers: ServerNames
    private let instruments: Instruments<ServerName, ServerInstruments>

    init(_ factory: MetricFactory) {
        servers = factory.servers
        instruments = Instruments { server in
            func bytes(_ direction: String) -> Counter {
                factory.counter("http.client.network.io", server.labels + [("network.io.direction", direction)])
            }
            return ServerInstruments(
                open: factory.meter("http.client.open_connections", server.labels),
                opened: factory.counter("http.client.connections.opened", server.labels),
                closed: factory.counter("http.client.connections.closed", server.labels),
                waiting: factory.meter("http.client.waiting_requests", server.labels),
                sent: bytes("transmit"),
                received: bytes("receive")
            )
        }
    }

    func connectionOpened(to server: ServerOrigin) {
        let metrics = metrics(of: server)
        metrics.opened.increment()
        metrics.open.increment()
    }

    func connectionClosed(to server: ServerOrigin) {
        let metrics = metrics(of: server)
        metrics.closed.increment()
        metrics.open.decrement()
    }

    func waitingExchanges(changedBy change: Int, for server: ServerOrigin) {
        let waiting = metrics(of: server).waiting
        if change < 0 { waiting.decrement(by: Double(-change)) } else { waiting.increment(by: Double(change)) }
    }

    func sent(bytes: Int, to server: ServerOrigin) {
        metrics(of: server).sent.increment(by: bytes)
    }

    func received(bytes: Int, from server: ServerOrigin) {
        metrics(of: server).received.increment(by: bytes)
    }

    private func metrics(of server: ServerOrigin) -> ServerInstruments { instruments[servers.name(of: server)] }
}
