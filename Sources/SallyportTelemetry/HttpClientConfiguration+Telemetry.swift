import Sallyport

extension HttpClientConfiguration {
    /// Has the client record metrics by swift-metrics, and make spans and send their context by
    /// swift-distributed-tracing; see ``Telemetry`` for what they are called.
    ///
    /// ```swift
    /// MetricsSystem.bootstrap(metrics)
    /// InstrumentationSystem.bootstrap(tracer)
    /// let client = HttpClient.createClient { config in config.addTelemetry() }
    /// ```
    ///
    /// What has not been bootstrapped when this is called is left out of the client for good, and costs nothing: so
    /// bootstrap first. Call it once, before interceptors are added whose time is to count as the call's.
    public mutating func addTelemetry(_ telemetry: Telemetry = Telemetry()) {
        let metrics = telemetry.factory.map { RequestMetrics($0) }
        let tracing = telemetry.tracing
        if let metrics {
            addInterceptor(CallTelemetry(metrics: metrics))
            observe(by: ConnectionMetrics(metrics.factory))
        }
        if metrics != nil || tracing != nil {
            addWireInterceptor(RequestTelemetry(metrics: metrics, tracing: tracing))
        }
    }

    private mutating func observe(by observer: some TransportObserver) {
        let present = transportConfiguration.observer
        transportConfiguration.observer = present.map { TwoObservers(first: $0, second: observer) } ?? observer
    }
}

/// Tells an observer of the app's own, and another.
private struct TwoObservers: TransportObserver {
    let first: any TransportObserver
    let second: any TransportObserver

    func connectionOpened(to server: ServerOrigin) {
        first.connectionOpened(to: server)
        second.connectionOpened(to: server)
    }

    func connectionClosed(to server: ServerOrigin) {
        first.connectionClosed(to: server)
        second.connectionClosed(to: server)
    }

    func waitingExchanges(changedBy change: Int, for server: ServerOrigin) {
        first.waitingExchanges(changedBy: change, for: server)
        second.waitingExchanges(changedBy: change, for: server)
    }

    func sent(bytes: Int, to server: ServerOrigin) {
        first.sent(bytes: bytes, to: server)
        second.sent(bytes: bytes, to: server)
    }

    func received(bytes: Int, from server: ServerOrigin) {
        first.received(bytes: bytes, from: server)
        second.received(bytes: bytes, from: server)
    }
}
