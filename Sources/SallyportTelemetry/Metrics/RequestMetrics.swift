import CoreMetrics
import Sallyport

/// The metrics of requests.
struct RequestMetrics: Sendable {
    /// The labels of requests, whether they have ended or not.
    private struct Kind: Hashable, Sendable {
        let server: ServerName
        let method: String
        let template: String?
        /// The scheme if it is a label.
        let scheme: String?

        var labels: [(String, String?)] {
            server.labels + [(Attribute.requestMethod, method)]
                + (scheme.map { [(Attribute.urlScheme, $0)] } ?? [])
        }
    }

    /// The labels of requests that have ended.
    private struct Completion: Hashable, Sendable {
        let kind: Kind
        let status: Int?
        let errorType: String?
        let protocolVersion: String?

        var labels: [(String, String?)] {
            kind.labels + [
                (Attribute.responseStatusCode, status.map { "\($0)" }), (Attribute.errorType, errorType),
                (Attribute.protocolVersion, protocolVersion),
            ]
        }
    }

    private struct CompletionInstruments: Sendable {
        let duration: Timer
        let requestSize: Recorder
        let responseSize: Recorder
    }

    let factory: MetricFactory
    private let labels: Set<Telemetry.OptionalLabel>
    private let active: Instruments<Kind, Meter>
    private let completed: Instruments<Completion, CompletionInstruments>

    init(_ factory: MetricFactory, labels: Set<Telemetry.OptionalLabel>) {
        self.factory = factory
        self.labels = labels
        func template(_ kind: Kind) -> [(String, String?)] { [(Attribute.urlTemplate, kind.template)] }
        let timesTemplates = labels.contains(.urlTemplate)
        active = Instruments { factory.meter(.activeRequests, $0.labels + template($0)) }
        completed = Instruments { completion in
            let labels = completion.labels + template(completion.kind)
            return CompletionInstruments(
                duration: factory.timer(.requestDuration, timesTemplates ? labels : completion.labels),
                requestSize: factory.recorder(.requestBodySize, labels),
                responseSize: factory.recorder(.responseBodySize, labels)
            )
        }
    }

    func started(_ request: RequestFacts) {
        active[kind(of: request)].increment()
    }

    /// Records that a request is no longer active.
    func ended(_ request: RequestFacts) {
        active[kind(of: request)].decrement()
    }

    func record(_ request: RequestFacts, _ end: RequestEnd) {
        let completion = Completion(
            kind: kind(of: request),
            status: end.response?.status,
            errorType: end.errorType,
            protocolVersion: end.response?.connection.httpVersion?.number
        )
        let instruments = completed[completion]
        instruments.duration.record(end.duration)
        if end.response != nil, let size = request.bodySize { instruments.requestSize.record(size) }
        if let size = end.response?.bodySize { instruments.responseSize.record(size) }
    }

    private func kind(of request: RequestFacts) -> Kind {
        Kind(
            server: factory.servers.name(of: request.server),
            method: request.method,
            template: request.template,
            scheme: labels.contains(.urlScheme) ? request.scheme : nil
        )
    }
}
