import CoreMetrics
import Foundation
import Sallyport
import SallyportTelemetry
import Tracing

/// Makes one call, and exports its spans and metrics to a collector.
@main
struct Example {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["SALLYPORT_URL"], let certificates = environment["SALLYPORT_CACERT"] else {
            throw MissingSetting()
        }
        let collector = environment["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://127.0.0.1:4318"

        // An app bootstraps the systems once, before it creates clients.
        let (tracer, metrics) = (OTLPTracer(), OTLPMetrics())
        InstrumentationSystem.bootstrap(tracer)
        MetricsSystem.bootstrap(metrics)

        let authority = try String(contentsOfFile: certificates, encoding: .utf8)
        let client = HttpClient.createClient { config in
            config.redirects = .follow(limit: 3)
            config.transportConfiguration.security.trustRoots = .pem(authority)
            var telemetry = Telemetry()
            telemetry.recordsPhases = true
            config.addTelemetry(telemetry)
        }
        let response = try await withSpan("example") { _ in
            try await client.request { request in
                request.url = "\(server)/redirect/1"
                request.urlTemplate = "/redirect/{count}"
            }
        }
        print("status \(response.status.code)")
        // The duration of connections is recorded when they are closed.
        await client.shutdown(grace: .seconds(5))

        let exporter = OTLPExporter(collector: collector)
        try await exporter.export(spans: tracer.takeSpans())
        try await exporter.export(metrics: metrics.read())
        await exporter.close()
    }
}

private struct MissingSetting: Error, CustomStringConvertible {
    let description = "set SALLYPORT_URL and SALLYPORT_CACERT, as the script run does"
}
