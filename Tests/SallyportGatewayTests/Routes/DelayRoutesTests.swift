import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct DelayRoutesTests {
    @Test func `The delay route responds after the delay`() async throws {
        try await withRouter { client in
            let start = ContinuousClock.now
            let response = try await client.execute(uri: "/delay/50", method: .get)
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(response.text.contains("\"milliseconds\" : 50"))
        }
    }

    @Test func `The drip route sends the requested number of bytes`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/drip?bytes=5&interval=1", method: .get)
            #expect(response.text == "*****")
            #expect(response.headers[.contentLength] == "5")
        }
    }

    @Test(arguments: ["/delay/60001", "/delay/-1", "/drip?bytes=601&interval=100", "/drip?bytes=65537&interval=0"])
    func `Delays of more than a minute and drips that are too long are refused`(uri: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .badRequest)
        }
    }
}
