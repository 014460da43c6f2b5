import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@Suite("The engine as a transport", .concurrencyLimited, .serialized)
struct EngineConformanceTests {
    @Test("Conformance", arguments: ConformanceCase.all)
    func conformance(_ conformanceCase: ConformanceCase) async throws {
        try await conformanceCase.run { configuration in Engine(configuration: configuration) }
    }

    @Test("Conformance over HTTP/2", arguments: ConformanceCase.all(over: .http2))
    func conformanceOverHTTP2(_ conformanceCase: ConformanceCase) async throws {
        try await conformanceCase.run(over: .http2) { configuration in Engine(configuration: configuration) }
    }

    @Test("Conformance over HTTP/2 in cleartext", arguments: ConformanceCase.all(over: .http2Cleartext))
    func conformanceOverCleartextHTTP2(_ conformanceCase: ConformanceCase) async throws {
        try await conformanceCase.run(over: .http2Cleartext) { configuration in Engine(configuration: configuration) }
    }
}
