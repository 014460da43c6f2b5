import SallyportEngine
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@Suite(.concurrencyLimited, .serialized) struct EngineConformanceTests {
    @Test(arguments: ConformanceCase.all)
    func `The engine meets the requirements for transports over HTTP/1.1`(_ conformanceCase: ConformanceCase)
        async throws
    {
        try await conformanceCase.run { configuration in Engine(configuration: configuration) }
    }

    @Test(arguments: ConformanceCase.all(over: .http2))
    func `The engine meets the requirements for transports over HTTP/2`(_ conformanceCase: ConformanceCase) async throws
    {
        try await conformanceCase.run(over: .http2) { configuration in Engine(configuration: configuration) }
    }

    @Test(arguments: ConformanceCase.all(over: .http2Cleartext))
    func `The engine meets the requirements for transports over HTTP/2 in cleartext`(_ conformanceCase: ConformanceCase)
        async throws
    {
        try await conformanceCase.run(over: .http2Cleartext) { configuration in Engine(configuration: configuration) }
    }
}
