import Crypto
import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct StreamRoutesTests {
    @Test func `Lines of JSON are streamed without Content-Length and with their digest in a trailer`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/stream/3", method: .get)
            #expect(response.text == "{\"line\":0}\n{\"line\":1}\n{\"line\":2}\n")
            #expect(response.headers[.contentLength] == nil)
            #expect(response.headers[.trailer] == "repr-digest")
            let digest = SHA256.hash(data: response.body.readableBytesView).fieldValue
            #expect(response.trailerHeaders?.map(\.value) == [digest])
        }
    }

    @Test func `The stream-bytes route sends the same bytes as the bytes route`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/stream-bytes?chunks=7&size=1001&seed=3", method: .get)
            #expect(response.body == PseudoRandomBytes(seed: 3).buffer(0..<7007))
        }
    }

    @Test func `A HEAD request returns the Content-Length of the stream`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/stream/11", method: .head)
            #expect(response.status == .ok)
            #expect(response.headers[.contentLength] == "122")
            #expect(response.body.readableBytes == 0)
        }
    }

    @Test(arguments: ["/stream/100001", "/stream-bytes?chunks=16385", "/stream-bytes?size=65537"])
    func `Streams that are too long are refused`(uri: String) async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .badRequest)
        }
    }
}
