import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.concurrencyLimited) struct RepeatedRequestTests {
    @Test(
        arguments: [URLError.Code.cannotConnectToHost, .notConnectedToInternet, .secureConnectionFailed],
        [0, 3] as [Int64]
    )
    func `A failure to connect states that a part of the request was sent before`(code: URLError.Code, sent: Int64)
        async throws
    {
        let head = HTTPRequest(method: .post, scheme: "https", authority: "example.com", path: "/")
        let request = TransportRequest(head: head, body: .data(Data("pay".utf8)))
        let exchange = URLSessionExchange(request: request, configuration: TransportConfiguration())
        exchange.expectToSend(3)
        exchange.sent(sent)
        exchange.completed(nil, URLError(code))
        let error = await #expect(throws: NetworkError.self) { _ = try await exchange.response() }
        #expect(error?.failure.mayHaveBeenSentEarlier == (sent > 0))
        #expect(error?.mayHaveReachedServer == (sent > 0))
    }
}
