import TestSupport
import Testing

@Suite(.concurrencyLimited) struct DemoTests {
    @Test func `The demo runs each step on one line and ends with 0`() async throws {
        let outcome = try await Tool.run("demo")
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
        #expect(outcome.text.split(separator: "\n").count { $0.hasPrefix("✓") } == 29)
        #expect(!outcome.text.contains("✗"))
        #expect(outcome.text.contains("README.md"))
    }
}
