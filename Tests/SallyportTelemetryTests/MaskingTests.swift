import Foundation
import Sallyport
import SallyportTelemetry
import TestSupport
import Testing
import Tracing

/// Sends secrets to a server that repeats them, and searches for them in the spans.
@Suite(.busy) struct MaskingTests {
    private func spans(_ secretive: SecretiveRequest, status: Int) async throws -> String {
        let bench = Bench(
            telemetry: { telemetry in
                telemetry.optionalAttributes = [.userAgent, .urlTemplate]
                telemetry.requestHeaders = ["X-Copy", "Authorization", "X-Context", "Referer"]
                telemetry.responseHeaders = ["X-Echo", "X-Encoded", "X-Received", "Location", "Set-Cookie"]
            },
            { $0.redirects = .follow(limit: 1) }
        )
        try await AnsweringServer.run(answering: { received, _ in secretive.echo(to: received) }) { server in
            var request = HttpRequest(
                url: "\(server.baseURL)/\(status)/\(secretive.canaries.last ?? "")?\(secretive.query)"
            )
            request.post(contentType: secretive.type, body: "")
            request.setBody(Data(secretive.body))
            for field in secretive.fields { request.setHeader(name: field.name, value: field.value) }
            // The redirect is refused, and its error quotes the location.
            _ = try? await bench.client.request(request: request)
        }
        bench.client.close()
        return bench.tracer.spans.map { span in
            var texts = ["\(span.status as Any)"] + span.errors.map { "\($0.error)" }
            span.attributes.forEach { name, _ in texts.append("\(name): \(span.attribute(name) ?? "")") }
            return texts.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    @Test(arguments: SecretiveRequest.all)
    func `No span contains a secret that was sent, and it contains what was sent beside it`(
        secretive: SecretiveRequest
    ) async throws {
        for status in [400, 302] {
            let text = try await spans(secretive, status: status)
            #expect(secretive.leaks(in: text).isEmpty, "\(text)")
            #expect(text.contains(SecretiveRequest.marker) && text.contains("REDACTED"), "\(text)")
        }
    }
}
