import Foundation
import TestSupport
import Testing

/// Sends secrets to a server that repeats them, and searches for them in what `-v` and `--stages` show and in error messages.
@Suite(.concurrencyLimited) struct CanaryTests {
    /// Returns the arguments of a call that sends a request with secrets. A body that is not text is omitted.
    private func arguments(_ secretive: SecretiveRequest, to base: String, status: Int) -> [String] {
        let body = String(bytes: secretive.body, encoding: .utf8).flatMap { $0.contains("\0") ? nil : $0 }
        let fields = secretive.fields.flatMap { ["-H", "\($0.name): \($0.value)"] }
        let content = body.map { ["--body", $0, "--content-type", secretive.type] } ?? []
        let url = "\(base)/\(status)/\(secretive.canaries[0])?\(secretive.query)"
        return ["post", url, "-v", "--stages", "--fail", "--follow", "1"] + fields + content
    }

    // Each run is a process, so only some of the requests are sent.
    @Test(arguments: SecretiveRequest.all.filter { ["a form", "JSON", "a multipart form"].contains($0.name) })
    func `The options -v and --stages and error messages show no secret that was sent, but what was sent beside it`(
        secretive: SecretiveRequest
    ) async throws {
        try await AnsweringServer.run(answering: { received, _ in secretive.echo(to: received) }) { server in
            for status in [400, 302] {
                let outcome = try await Tool.run(arguments(secretive, to: server.baseURL, status: status))
                #expect(outcome.status != 0)
                #expect(secretive.leaks(in: outcome.errors).isEmpty, "\(outcome.errors)")
                let lines = outcome.errors.split(separator: "\n")
                for start in ["< X-Echo: ", "> X-Copy: ", "< HTTP/1.1 ", "> POST "] {
                    let shown = lines.filter { $0.hasPrefix(start) }
                    #expect(shown.contains { $0.contains(SecretiveRequest.marker) }, "\(start) in \(outcome.errors)")
                }
                #expect(
                    outcome.errors.hasSuffix("\n") && lines.last?.contains(SecretiveRequest.marker) == true,
                    "\(outcome.errors)"
                )
            }
        }
    }
}
