import Crypto
import Foundation
import HTTPTypes
import Sallyport
import SallyportJOSE
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportResource

@Suite(.concurrencyLimited) struct PayloadBodiesTests {
    private func key() -> PayloadBodyKey {
        let session = PayloadSession(id: "7", secret: SymmetricKey(size: .bits256), transcript: Data())
        let head = HTTPRequest(method: .put, scheme: "https", authority: "api.example.com", path: "/")
        return session.seal(PayloadRequestHead(head, hasBody: true), counter: 1).exchange.requestBody
    }

    @Test(arguments: [4, 6, 0, 70_000])
    func `A body that does not have its declared length is not marked as complete`(declared: Int64) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("12345".utf8))
        continuation.finish()
        let key = key()
        let body = try RequestBody.stream(BodyStream(stream, length: declared)).sealed(with: key)
        let sent = Locked(Data())
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await body.forEachChunk { chunk in sent.withLock { $0 += chunk } }
        }
        #expect(throws: JoseError.self) { try key.open(sent.withLock { $0 }) }
    }

    @Test func `A declared length that no body has is refused`() throws {
        let (stream, _) = AsyncStream.makeStream(of: Data.self)
        let body = RequestBody.stream(BodyStream(stream, length: .max))
        let reason = "a body of 9223372036854775807 bytes is too long to be encrypted"
        let error = #expect(throws: NetworkError.self) { try body.sealed(with: key()) }
        #expect(error?.kind == "invalidRequest")
        #expect(error?.failure.reason == reason)
    }

    @Test func `A stream of declared length 0 is sealed as an empty body`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.finish()
        let body = RequestBody.stream(BodyStream(stream, length: 0))
        #expect(body.hasPayload)
        let key = key()
        let sent = try await body.sealed(with: key).collect(upTo: 1000)
        #expect(try key.open(sent).isEmpty)
    }

    @Test func `Segments that arrive in one piece are read one by one, the last one after the end`() async throws {
        let key = key()
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let opened = try OpenedPayload(ResponseBody(key.seal(content)), with: key)
        var chunks: [Data] = []
        while let chunk = try await opened.read() { chunks.append(chunk) }
        #expect(chunks.map(\.count) == [65_480, 65_520, 65_520, 3480])
        #expect(chunks.reduce(Data(), +) == content)
        #expect(try await opened.read() == nil)
    }
}
