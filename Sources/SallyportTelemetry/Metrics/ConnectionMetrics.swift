import CoreMetrics
import Sallyport

/// The metrics of connections.
struct ConnectionMetrics: TransportObserver {
    private let servers: ServerNames
    private let durations: Instruments<ServerName, Timer>

    init(_ factory: MetricFactory) {
        servers = factory.servers
        durations = Instruments { factory.timer(.connectionDuration, $0.labels) }
    }

    func connectionClosed(to server: ServerOrigin, after duration: Duration) {
        durations[servers.name(of: server)].record(duration)
    }
}
