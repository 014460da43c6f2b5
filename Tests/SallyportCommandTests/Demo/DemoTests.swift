import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DemoTests {
    @Test func `The demo runs each step on one line and ends with 0`() async throws {
        let outcome = try await Tool.run("demo")
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
        #expect(outcome.text.split(separator: "\n").count { $0.hasPrefix("✓") } == 39)
        #expect(!outcome.text.contains("✗"))
        #expect(outcome.text.contains("README.md"))
        #expect(outcome.text.contains("the server received 0 bytes of a call and a registration"), "\(outcome.text)")
        #expect(outcome.text.contains("were then refused (replayed)"), "\(outcome.text)")
        #if os(Linux)
        #expect(outcome.text.contains("while it was traced, the same call was refused"), "\(outcome.text)")
        #endif
    }
}
