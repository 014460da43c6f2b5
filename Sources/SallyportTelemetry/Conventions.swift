/// The names of the attributes of spans and metrics. `.ci/conventions` compares them with the registry of OpenTelemetry's conventions.
enum Attribute {
    static let errorType = "error.type"
    static let requestBodySize = "http.request.body.size"
    /// Followed by a dot and the name of the header in lower case.
    static let requestHeader = "http.request.header"
    static let requestMethod = "http.request.method"
    static let requestMethodOriginal = "http.request.method_original"
    static let requestResendCount = "http.request.resend_count"
    static let responseBodySize = "http.response.body.size"
    /// Followed by a dot and the name of the header in lower case.
    static let responseHeader = "http.response.header"
    static let responseStatusCode = "http.response.status_code"
    static let peerAddress = "network.peer.address"
    static let peerPort = "network.peer.port"
    static let protocolVersion = "network.protocol.version"
    static let serverAddress = "server.address"
    static let serverPort = "server.port"
    static let tlsProtocolName = "tls.protocol.name"
    static let tlsProtocolVersion = "tls.protocol.version"
    static let urlFull = "url.full"
    static let urlScheme = "url.scheme"
    static let urlTemplate = "url.template"
    static let userAgent = "user_agent.original"
}

extension TelemetryMetric {
    /// The duration of requests that are sent, until the end of the response's body.
    public static let requestDuration = TelemetryMetric(
        name: "http.client.request.duration",
        unit: "s",
        buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    )

    /// The sizes of request bodies as they are sent.
    public static let requestBodySize = TelemetryMetric(name: "http.client.request.body.size", unit: "By", buckets: [])

    /// The sizes of response bodies as they are received.
    public static let responseBodySize = TelemetryMetric(
        name: "http.client.response.body.size",
        unit: "By",
        buckets: []
    )

    /// The number of running requests.
    public static let activeRequests = TelemetryMetric(
        name: "http.client.active_requests",
        unit: "{request}",
        buckets: nil
    )

    /// The duration of connections, from when they are ready for the first request until they are closed.
    public static let connectionDuration = TelemetryMetric(
        name: "http.client.connection.duration",
        unit: "s",
        buckets: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
    )

    /// All metrics.
    public static let all = [requestDuration, requestBodySize, responseBodySize, activeRequests, connectionDuration]
}
