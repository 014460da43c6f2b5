import CoreMetrics
import Sallyport

/// The metrics of requests and calls.
struct RequestMetrics: Sendable {
    /// The labels of a request or call that has ended.
    private struct Completion: Hashable, Sendable {
        let server: ServerName
        let method: String
        let outcome: Outcome

        var labels: [(String, String)] { server.labels + [("http.request.method", method)] + outcome.labels }
    }

    private struct Phase: Hashable, Sendable {
        let server: ServerName
        let name: String
    }

    let factory: MetricFactory
    private let requests: Instruments<Completion, (count: Counter, duration: Timer)>
    private let active: Instruments<ServerName, Meter>
    private let phases: Instruments<Phase, Timer>
    private let calls: Instruments<Completion, Timer>

    init(_ factory: MetricFactory) {
        self.factory = factory
        requests = Instruments { completion in
            (
                factory.counter("http.client.requests", completion.labels),
                factory.timer("http.client.request.duration", completion.labels)
            )
        }
        active = Instruments { factory.meter("http.client.active_requests", $0.labels) }
        phases = Instruments { phase in
            factory.timer("http.client.phase.duration", phase.server.labels + [("http.client.phase", phase.name)])
        }
        calls = Instruments { factory.timer("http.client.call.duration", $0.labels) }
    }

    /// A running request.
    struct Measurement: Sendable {
        fileprivate let metrics: RequestMetrics
        fileprivate let server: ServerName
        fileprivate let method: HttpMethod
        private let start = ContinuousClock.now

        /// Records the end of the request.
        ///
        /// - Parameter connection: The properties of the response's connection; `nil` without a response.
        func end(_ outcome: Outcome, _ connection: ConnectionFacts?) {
            let completion = Completion(server: server, method: method.label, outcome: outcome)
            let (count, duration) = metrics.requests[completion]
            count.increment()
            duration.record(.now - start)
            metrics.active[server].decrement()
            if let connection { metrics.record(connection, to: server) }
        }
    }

    func start(_ method: HttpMethod, to server: ServerOrigin) -> Measurement {
        let server = factory.servers.name(of: server)
        active[server].increment()
        return Measurement(metrics: self, server: server, method: method)
    }

    func callEnded(_ method: HttpMethod, to server: ServerOrigin?, _ outcome: Outcome, after duration: Duration) {
        let server = factory.servers.name(of: server)
        calls[Completion(server: server, method: method.label, outcome: outcome)].record(duration)
    }

    private func record(_ connection: ConnectionFacts, to server: ServerName) {
        let durations = [
            ("resolve", connection.resolve), ("connect", connection.connect), ("tls", connection.tls),
            ("first_byte", connection.firstByte),
        ]
        for case (let name, let duration?) in durations { phases[Phase(server: server, name: name)].record(duration) }
    }
}
