import Foundation
import HTTPTypes
import SallyportStorage
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ResponseBodyTests {
    /// Returns chunks, and then ends or throws an error.
    private struct Chunks: ResponseBodySource {
        let rest: Locked<[String]>
        var failure: NetworkError?
        let isCancelled = Locked(false)
        let trailers: HTTPFields = [:]

        init(_ chunks: String..., failure: NetworkError? = nil) {
            rest = Locked(chunks)
            self.failure = failure
        }

        func read() async throws(NetworkError) -> Data? {
            if let next = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return Data(next.utf8) }
            if let failure { throw failure }
            return nil
        }

        func cancel() { isCancelled.withLock { $0 = true } }
    }

    /// A body that has been received completely.
    private struct Complete: ResponseBodySource {
        let data: Data
        let trailers: HTTPFields = [:]

        func read() async throws(NetworkError) -> Data? {
            Issue.record("the body was read in chunks")
            return nil
        }

        func readRest(upTo limit: Int) throws(NetworkError) -> Data? { data.count > limit ? nil : data }
        func cancel() {}
    }

    private func isTooLarge(_ error: any Error) -> Bool {
        if case .responseTooLarge = error as? NetworkError { true } else { false }
    }

    @Test func `Chunks are collected in order`() async throws {
        let body = ResponseBody(source: Chunks("one, ", "two, ", "three"))
        #expect(try await body.collect(upTo: 100) == Data("one, two, three".utf8))
    }

    @Test func `A body that has been received completely is collected without a call of read`() async throws {
        let body = ResponseBody(source: Complete(data: Data("all of it".utf8)))
        #expect(try await body.collect(upTo: 9) == Data("all of it".utf8))
    }

    @Test func `A body of exactly the limit is accepted`() async throws {
        #expect(try await ResponseBody(source: Chunks("12345", "67890")).collect(upTo: 10).count == 10)
    }

    @Test(arguments: [["12345678901"], ["1234567890", "1"]])
    func `A body one byte above the limit is refused and cancelled`(_ chunks: [String]) async {
        let source = chunks.count == 1 ? Chunks(chunks[0]) : Chunks(chunks[0], chunks[1])
        let body = ResponseBody(source: source)
        let error = await #expect(throws: NetworkError.self) { try await body.collect(upTo: 10) }
        #expect(error.map(isTooLarge) == true)
        #expect(source.isCancelled.withLock { $0 })
    }

    @Test func `A body announced as too long is refused before it is read`() async {
        let source = Chunks("never read")
        let body = ResponseBody(length: 11, source: source)
        let error = await #expect(throws: NetworkError.self) { try await body.collect(upTo: 10) }
        #expect(error.map(isTooLarge) == true)
        #expect(source.rest.withLock { $0 } == ["never read"])
    }

    @Test func `The error of an incomplete body is thrown`() async {
        let body = ResponseBody(source: Chunks("start", failure: .incompleteBody("cut")))
        let error = await #expect(throws: NetworkError.self) { try await body.collect(upTo: 100) }
        #expect(error?.failure.reason == "cut")
    }

    @Test func `Data in memory is a body of one chunk, with its length and trailers`() async throws {
        let body = ResponseBody(Data("bytes".utf8), trailers: [.eTag: "x"])
        #expect(body.length == 5)
        #expect(body.trailers[.eTag] == "x")
        var chunks: [Data] = []
        for try await chunk in body { chunks.append(chunk) }
        #expect(chunks == [Data("bytes".utf8)])
        #expect(try await body.collect(upTo: 10).isEmpty)
    }

    @Test func `The empty body has no bytes`() async throws {
        #expect(ResponseBody.empty.length == 0)
        #expect(try await ResponseBody.empty.collect(upTo: 0).isEmpty)
    }
}
