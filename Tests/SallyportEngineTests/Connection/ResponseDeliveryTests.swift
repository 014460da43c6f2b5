import HTTPTypes
import NIOEmbedded
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct ResponseDeliveryTests {
    private func exchange() throws -> Exchange {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "server", path: "/")
        return Exchange(try OutgoingRequest(TransportRequest(head: head), acceptEncoding: nil))
    }

    private func end(_ exchange: Exchange, by delivery: ResponseDelivery) {
        delivery.exchangeLeft()
        delivery.deliver(ResponseParts(end: .success([:])), to: exchange)
    }

    @Test
    func `The response of the only exchange is delivered at once`() throws {
        let delivery = ResponseDelivery(eventLoop: EmbeddedEventLoop())
        let only = try exchange()
        delivery.exchangeBegan()
        end(only, by: delivery)
        #expect(only.isEnded)
    }

    @Test
    func `Responses are delivered at the end of the turn if other exchanges run`() throws {
        let loop = EmbeddedEventLoop()
        let delivery = ResponseDelivery(eventLoop: loop)
        let (first, second) = (try exchange(), try exchange())
        for _ in 0..<2 { delivery.exchangeBegan() }
        end(first, by: delivery)
        end(second, by: delivery)
        #expect(!first.isEnded && !second.isEnded)
        loop.run()
        #expect(first.isEnded && second.isEnded)
    }

    @Test
    func `A limited number of responses waits for the end of the turn`() throws {
        let loop = EmbeddedEventLoop()
        let delivery = ResponseDelivery(eventLoop: loop)
        let exchanges = try (0..<ResponseDelivery.maximumCount + 1).map { _ in try exchange() }
        for _ in 0..<exchanges.count + 1 { delivery.exchangeBegan() }
        for exchange in exchanges { end(exchange, by: delivery) }
        #expect(exchanges.dropLast().map(\.isEnded) == Array(repeating: true, count: exchanges.count - 1))
        #expect(exchanges.last?.isEnded == false)
        loop.run()
        #expect(exchanges.last?.isEnded == true)
    }
}
