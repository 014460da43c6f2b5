import Sallyport

extension HttpClientConfiguration {
    /// Configures the client to record metrics with swift-metrics, and to create spans and propagate their context with
    /// swift-distributed-tracing; see ``Telemetry`` for their names.
    ///
    /// ```swift
    /// MetricsSystem.bootstrap(metrics)
    /// InstrumentationSystem.bootstrap(tracer)
    /// let client = HttpClient.createClient { config in config.addTelemetry() }
    /// ```
    ///
    /// Bootstrap the systems before you call this method. A system that is not bootstrapped is not used. Call the method once: before
    /// you add interceptors that send requests again, so that these are counted as resent, and after you have added wire interceptors
    /// that send requests again, so that each has a span of its own.
    public mutating func addTelemetry(_ telemetry: Telemetry = Telemetry()) {
        let metrics = telemetry.factory.map { RequestMetrics($0, labels: telemetry.optionalLabels) }
        let tracing = telemetry.tracing
        if metrics == nil, tracing == nil { return }
        #if !canImport(Darwin)
        // On Apple platforms, the default transport is `URLSession`, which refuses an observer.
        if let metrics { observe(by: ConnectionMetrics(metrics.factory)) }
        #endif
        addInterceptor(CallTelemetry())
        // A wire interceptor runs once for each request that is sent, with the headers that are sent.
        addWireInterceptor(
            RequestTelemetry(metrics: metrics, tracing: tracing, knownMethods: telemetry.knownMethods)
        )
    }

    #if !canImport(Darwin)
    private mutating func observe(by observer: some TransportObserver) {
        let existing = transportConfiguration.observer
        transportConfiguration.observer = existing.map { TwoObservers(first: $0, second: observer) } ?? observer
    }
    #endif
}

#if !canImport(Darwin)
/// Forwards events to two observers.
private struct TwoObservers: TransportObserver {
    let first: any TransportObserver
    let second: any TransportObserver

    func connectionOpened(to server: ServerOrigin) {
        first.connectionOpened(to: server)
        second.connectionOpened(to: server)
    }

    func connectionClosed(to server: ServerOrigin, after duration: Duration) {
        first.connectionClosed(to: server, after: duration)
        second.connectionClosed(to: server, after: duration)
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
#endif
