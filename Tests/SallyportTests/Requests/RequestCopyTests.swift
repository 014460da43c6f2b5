import ClientTestSupport
import Foundation
import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct RequestCopyTests {
    @Test func `Changing a copy does not change the original`() {
        let original = makeRequest { request in
            request.setHeader(name: "Accept", value: "text/plain")
            request.timeout = 5
            request.urlTemplate = "/"
        }
        var copy = original
        copy.url = "https://other.example.com/"
        copy.setHeader(name: "Accept", value: "application/json")
        copy.timeout = 6
        copy.timeouts = Timeouts(connect: .seconds(1))
        copy.urlTemplate = nil
        copy.action = Action("TEST")
        copy.retry = .never
        #expect(original.url == "https://api.example.com/")
        #expect(original.getHeader(name: "Accept") == "text/plain")
        #expect(original.timeout == 5)
        #expect(original.timeouts == nil)
        #expect(original.urlTemplate == "/")
        #expect(original.action == nil)
        #expect(original.retry == nil)
        #expect(copy.timeout == 6)
        #expect(copy.timeouts?.connect == .seconds(1))
        #expect(copy.urlTemplate == nil)
        #expect(copy.action?.type == "TEST")
        #expect(copy.retry != nil)
    }

    @Test func `Sending a request does not change it`() async throws {
        let (client, _) = makeClient()
        let request = makeRequest("https://api.example.com/#fragment") { $0.setParameter(name: "q", value: "1") }
        let response = try await client.request(request: request)
        #expect(response.request.url == "https://api.example.com/?q=1")
        #expect(response.request.parameters.isEmpty)
        #expect(request.url == "https://api.example.com/#fragment")
        #expect(request.parameters.count == 1)
        #expect(request.timeouts == nil)
        #expect(request.getHeader(name: "x-requested-with") == nil)
    }
}
