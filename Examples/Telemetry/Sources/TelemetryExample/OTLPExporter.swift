import Foundation
import Sallyport

/// Sends spans and metrics to a collector with OTLP over HTTP, in JSON.
///
/// It exports once, which suffices for a program that runs briefly. An app uses a package that batches, retries and limits memory.
struct OTLPExporter {
    private let collector: String
    /// A client without telemetry: its requests are not part of what is exported.
    private let client = HttpClient.createClient { config in
        // A collector in the same network often has no certificate.
        config.allowsPlainHTTP = true
    }

    init(collector: String) {
        self.collector = collector
    }

    func export(spans: [FinishedSpan]) async throws {
        try await post("traces", OTLPBody(resourceSpans: [.init(scopeSpans: [.init(spans: spans)])]))
    }

    func export(metrics: [MetricReading]) async throws {
        try await post("metrics", OTLPBody(resourceMetrics: [.init(scopeMetrics: [.init(metrics: metrics)])]))
    }

    func close() async {
        await client.shutdown(grace: .seconds(5))
    }

    private func post(_ signal: String, _ body: OTLPBody) async throws {
        let json = try JSONEncoder().encode(body)
        let response = try await client.request { request in
            request.url = "\(collector)/v1/\(signal)"
            request.post(contentType: "application/json", body: String(decoding: json, as: UTF8.self))
        }
        guard response.status.isSuccess() else { throw ExportFailure(signal: signal, status: response.status.code) }
    }
}

private struct ExportFailure: Error, CustomStringConvertible {
    let signal: String
    let status: Int

    var description: String { "the collector refused the \(signal) with status \(status)" }
}

/// The body of an export request. The names of the members are those of the protocol.
private struct OTLPBody: Encodable {
    struct Resource: Encodable {
        var attributes = [OTLPAttribute("service.name", .string("telemetry-example"))]
    }

    struct Scope: Encodable {
        var name = "SallyportTelemetry"
    }

    struct ScopeSpans: Encodable {
        var scope = Scope()
        var schemaUrl = "https://opentelemetry.io/schemas/1.44.0"
        let spans: [FinishedSpan]
    }

    struct ScopeMetrics: Encodable {
        var scope = Scope()
        var schemaUrl = "https://opentelemetry.io/schemas/1.44.0"
        let metrics: [MetricReading]
    }

    struct ResourceSpans: Encodable {
        var resource = Resource()
        let scopeSpans: [ScopeSpans]
    }

    struct ResourceMetrics: Encodable {
        var resource = Resource()
        let scopeMetrics: [ScopeMetrics]
    }

    var resourceSpans: [ResourceSpans]?
    var resourceMetrics: [ResourceMetrics]?
}

/// An attribute of a resource, span or data point.
struct OTLPAttribute: Encodable {
    enum Value {
        case string(String)
        case int(Int64)
        case strings([String])
    }

    private enum Keys: String, CodingKey {
        case key, value, stringValue, intValue, arrayValue, values
    }

    let key: String
    let value: Value

    init(_ key: String, _ value: Value) {
        self.key = key
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(key, forKey: .key)
        var content = container.nestedContainer(keyedBy: Keys.self, forKey: .value)
        switch value {
        case .string(let text): try content.encode(text, forKey: .stringValue)
        // 64-bit integers are texts in the JSON of protocol buffers.
        case .int(let number): try content.encode("\(number)", forKey: .intValue)
        case .strings(let texts):
            var array = content.nestedContainer(keyedBy: Keys.self, forKey: .arrayValue)
            try array.encode(texts.map { ["stringValue": $0] }, forKey: .values)
        }
    }
}
