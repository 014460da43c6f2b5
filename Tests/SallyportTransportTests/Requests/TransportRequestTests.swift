import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct TransportRequestTests {
    @Test func `A change of a copy leaves the original unchanged`() {
        let original = TransportRequest(
            head: HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")
        )
        var copy = original
        copy.head.headerFields[.accept] = "text/plain"
        copy.timeouts.total = .seconds(1)
        copy.body = .data(Data("content".utf8))
        copy.expectsContinue = true
        copy.requiresSecureTransport = true
        copy.withholdsClientIdentity = true
        copy.trailers = { [:] }
        copy.onInformational = { _ in }
        #expect(copy.head.headerFields[.accept] == "text/plain")
        #expect(copy.timeouts.total == .seconds(1))
        #expect(original.head.headerFields.isEmpty)
        #expect(original.timeouts.total == Timeouts().total)
        #expect(!original.expectsContinue && !original.requiresSecureTransport && !original.withholdsClientIdentity)
        #expect(original.trailers == nil && original.onInformational == nil)
        guard case .none = original.body, case .data(Data("content".utf8)) = copy.body else {
            Issue.record("the body of the original has changed")
            return
        }
    }
}
