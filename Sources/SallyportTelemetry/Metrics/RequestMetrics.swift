import CoreMetrics
import Sallyport

/// The metrics of requests.
struct RequestMetrics: Sendable {
    /// The labels of requests, whether they have ended or not.
    private struct Kind: Hashable, Sendable {
        let server: ServerName
        let method: String
        var template: String?
        /// The scheme if it is a label.
        let scheme: String?

        var labels: [(String, String?)] {
            server.labels + [(Attribute.requestMethod, method)]
                + (scheme.map { [(Attribute.urlScheme, $0)] } ?? [])
        }

        var labelsWithTemplate: [(String, String?)] { labels + [(Attribute.urlTemplate, template)] }
    }

    /// The labels of requests that have ended.
    private struct Completion: Hashable, Sendable {
        var kind: Kind
        let status: Int?
        let errorType: String?
        let protocolVersion: String?

        var labels: [(String, String?)] { kind.labels + ownLabels }

        var labelsWithTemplate: [(String, String?)] { kind.labelsWithTemplate + ownLabels }

        private var ownLabels: [(String, String?)] {
            [
                (Attribute.responseStatusCode, status.map { "\($0)" }), (Attribute.errorType, errorType),
                (Attribute.protocolVersion, protocolVersion),
            ]
        }
    }

    let factory: MetricFactory
    private let labels: Set<Telemetry.OptionalLabel>
    private let active: Instruments<Kind, Meter>
    private let durations: Instruments<Completion, Timer>
    private let requestSizes: Instruments<Completion, Recorder>
    private let responseSizes: Instruments<Completion, Recorder>

    init(_ factory: MetricFactory, labels: Set<Telemetry.OptionalLabel>) {
        self.factory = factory
        self.labels = labels
        let durationsHaveTemplate = labels.contains(.urlTemplate)
        active = Instruments { factory.meter(.activeRequests, $0.labelsWithTemplate) }
        durations = Instruments {
            factory.timer(.requestDuration, durationsHaveTemplate ? $0.labelsWithTemplate : $0.labels)
        }
        requestSizes = Instruments { factory.recorder(.requestBodySize, $0.labelsWithTemplate) }
        responseSizes = Instruments { factory.recorder(.responseBodySize, $0.labelsWithTemplate) }
    }

    func started(_ request: RequestFacts) {
        active[kind(of: request)].increment()
    }

    /// Records that a request is no longer active.
    func ended(_ request: RequestFacts) {
        active[kind(of: request)].decrement()
    }

    func record(_ request: RequestFacts, _ end: RequestEnd) {
        var completion = Completion(
            kind: kind(of: request),
            status: end.response?.status,
            errorType: end.errorType,
            protocolVersion: end.response?.connection.httpVersion?.number
        )
        if end.response != nil, let size = request.bodySize { requestSizes[completion].record(size) }
        if let size = end.response?.bodySize { responseSizes[completion].record(size) }
        if !labels.contains(.urlTemplate) { completion.kind.template = nil }
        durations[completion].record(end.duration)
    }

    private func kind(of request: RequestFacts) -> Kind {
        Kind(
            server: factory.servers.name(of: request.server),
            method: request.method,
            template: request.template.map { factory.templates.allows($0) ? $0 : "other" },
            scheme: labels.contains(.urlScheme) ? request.scheme : nil
        )
    }
}
