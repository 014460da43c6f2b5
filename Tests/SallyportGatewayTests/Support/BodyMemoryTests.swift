import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import SallyportGateway

@Suite(.concurrencyLimited) struct BodyMemoryTests {
    private func request(_ count: Int, announcing length: Int? = nil) -> Request {
        var head = HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/files/a")
        head.headerFields[.contentLength] = length.map { "\($0)" }
        return Request(head: head, body: RequestBody(buffer: ByteBuffer(repeating: 7, count: count)))
    }

    private func status(_ body: () async throws -> Void) async -> HTTPResponse.Status? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? HTTPError)?.status
        }
    }

    @Test func `Bodies that together exceed the memory are refused until others are released`() async throws {
        let memory = BodyMemory(bodies: 10, bytes: 100)
        for _ in 0..<3 {
            try await memory.withBody(of: request(60), upTo: 100) { body in
                #expect(body.readableBytes == 60)
                #expect(
                    await status { try await memory.withBody(of: request(41), upTo: 100) { _ in } }
                        == .serviceUnavailable
                )
                try await memory.withBody(of: request(40), upTo: 100) { #expect($0.readableBytes == 40) }
            }
        }
    }

    @Test func `More bodies than allowed are refused, even empty ones`() async throws {
        let memory = BodyMemory(bodies: 2, bytes: 100)
        try await memory.withBody(of: request(1), upTo: 100) { _ in
            try await memory.withBody(of: request(1), upTo: 100) { _ in
                #expect(
                    await status { try await memory.withBody(of: request(0), upTo: 100) { _ in } }
                        == .serviceUnavailable
                )
            }
        }
        try await memory.withBody(of: request(1), upTo: 100) { _ in }
    }

    @Test func `A body that is too large or truncated is refused, and its memory is released`()
        async throws
    {
        let memory = BodyMemory(bodies: 1, bytes: 100)
        for request in [request(51), request(0, announcing: 51)] {
            await #expect(throws: NIOTooManyBytesError.self) {
                try await memory.withBody(of: request, upTo: 50) { _ in }
            }
        }
        #expect(
            await status { try await memory.withBody(of: request(5, announcing: 6), upTo: 50) { _ in } } == .badRequest
        )
        try await memory.withBody(of: request(100, announcing: 100), upTo: 100) { #expect($0.readableBytes == 100) }
    }
}
