import SallyportEngine
import SallyportTransport
import Testing
import TransportConformance

@Suite("The engine as a transport", .serialized)
struct EngineConformanceTests {
    @Test("Conformance", arguments: ConformanceCase.all)
    func conformance(_ conformanceCase: ConformanceCase) async throws {
        try await conformanceCase.run { configuration in Engine(configuration: configuration) }
    }
}
