import Foundation
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportURLSession

@Suite(.concurrencyLimited) struct BodySpoolTests {
    private struct Failed: Error {}

    private func stream(_ texts: String..., length: Int64? = nil, failure: (any Error)? = nil) -> BodyStream {
        let chunks = AsyncThrowingStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish(throwing: failure)
        }
        return BodyStream(chunks, length: length)
    }

    @Test func `The file contains the produced bytes, is private to its owner, and can be removed`() async throws {
        let spool = BodySpool()
        #expect(try await spool.fill(from: stream("one, ", "two", length: 8)) == 8)
        #expect(try Data(contentsOf: spool.url) == Data("one, two".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: spool.url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        spool.remove()
        #expect(!FileManager.default.fileExists(atPath: spool.url.path))
    }

    @Test(arguments: [7, 9])
    func `A stream longer or shorter than announced is refused`(_ length: Int64) async {
        let spool = BodySpool()
        defer { spool.remove() }
        let error = await #expect(throws: NetworkError.self) {
            try await spool.fill(from: stream("one, ", "two", length: length))
        }
        #expect(error?.failure.reason.contains("\(length)") == true)
    }

    @Test func `An error thrown by the producer is the underlying error`() async {
        let spool = BodySpool()
        defer { spool.remove() }
        let error = await #expect(throws: NetworkError.self) {
            try await spool.fill(from: stream("one", failure: Failed()))
        }
        #expect(error?.failure.underlying is Failed)
    }
}
