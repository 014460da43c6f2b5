import SallyportTransport
import SallyportURLSession
import TestSupport
import Testing
import TransportConformance

@Suite(.concurrencyLimited, .serialized) struct URLSessionConformanceTests {
    static let cases = ConformanceCase.all.filter { KnownDefects.traps[$0.name] == nil }

    @Test(arguments: cases)
    func `URLSession meets the requirements for transports, except for the platform's known defects`(
        _ conformance: ConformanceCase
    )
        async throws
    {
        guard let defect = KnownDefects.failures[conformance.name] else {
            return try await conformance.run { URLSessionTransport(configuration: $0) }
        }
        await withKnownIssue(Comment(rawValue: defect)) {
            try await conformance.run(within: .seconds(4)) { URLSessionTransport(configuration: $0) }
        }
    }

    @Test func `Each known defect refers to a conformance case, and the names of cases are unique`() {
        let names = Set(ConformanceCase.all.map(\.name))
        #expect(names.count == ConformanceCase.all.count)
        #expect(names.isSuperset(of: KnownDefects.failures.keys))
        #expect(names.isSuperset(of: KnownDefects.traps.keys))
    }

    #if os(Linux)
    @Test func `A truncated head still traps in FoundationNetworking`() async {
        await #expect(processExitsWith: .failure) {
            try await KnownDefects.run("A connection closed within the head fails the call")
        }
    }

    @Test func `Trailers still trap in FoundationNetworking`() async {
        await #expect(processExitsWith: .failure) {
            try await KnownDefects.run("A connection is reused after a response with trailers")
        }
    }
    #endif
}

extension KnownDefects {
    /// Runs the case with a name.
    static func run(_ name: String) async throws {
        for conformance in ConformanceCase.all where conformance.name == name {
            try await conformance.run { URLSessionTransport(configuration: $0) }
        }
    }
}
