import ClientTestSupport
import Foundation
import SallyportStorage
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct RetryBodyTests {
    private let time = ManualTime()

    private func retrying(_ server: MockTransport) -> HttpClient {
        makeClient(server) { config in
            config.retry = .constant(attempts: 3, delay: .zero)
            config.retryTime = time.retryTime
        }.client
    }

    private func put(isReplayable: Bool) -> HttpRequest {
        makeRequest { request in
            let chunks = AsyncStream<Data> { continuation in
                continuation.yield(Data("whole".utf8))
                continuation.finish()
            }
            request.body = .stream(
                BodyStream(isReplayable ? AnyChunks() : AnyChunks(chunks), isReplayable: isReplayable)
            )
            request.setMethod(.put)
        }
    }

    @Test func `A one-shot body is not sent again, and the error says so`() async throws {
        let server = sequence(.fail(.connectionLost("lost")), .status(200))
        let client = retrying(server)
        let request = put(isReplayable: false)
        let error = await failure { () throws(NetworkError) in try await client.request(request: request) }
        #expect(error?.failure.reason == "lost, in attempt 1 of 3; its body can be sent only once")
        #expect(server.requests.map(\.text) == ["whole"])
    }

    @Test func `A one-shot body is not sent again after an error status, and the caller receives the response`()
        async throws
    {
        let server = sequence(.status(503), .status(200))
        let response = try await retrying(server).request(request: put(isReplayable: false))
        #expect(response.status.code == 503)
        #expect(server.requests.count == 1)
    }

    @Test func `A one-shot body is sent by a later attempt if none of it has been read`() async throws {
        let refuses = Locked(true)
        struct Refusing: Interceptor {
            let refuses: Locked<Bool>
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                let isFirst = refuses.withLock { refuses in
                    defer { refuses = false }
                    return refuses
                }
                if isFirst { throw NetworkError.connectionFailed("refused") }
                return try await next(request)
            }
        }
        let (client, server) = makeClient(.status(200)) { config in
            config.retry = .constant(delay: .zero)
            config.retryTime = time.retryTime
            config.addWireInterceptor(Refusing(refuses: refuses))
        }
        #expect(try await client.request(request: put(isReplayable: false)).attempts == 2)
        #expect(server.requests.map(\.text) == ["whole"])
    }

    @Test func `A replayable body is sent in full with each attempt`() async throws {
        let server = sequence(.status(503), .fail(.connectionLost("lost")), .status(200))
        #expect(try await retrying(server).request(request: put(isReplayable: true)).attempts == 3)
        #expect(server.requests.map(\.text) == ["whole", "whole", "whole"])
    }

    @Test func `A response with a truncated body is requested again`() async throws {
        let server = sequence(.text("abcdef").with(.cut(after: 3)), .text("abcdef"))
        let response = try await retrying(server).request(request: makeRequest())
        #expect(response.bodyAsString() == "abcdef")
        #expect(response.attempts == 2)
    }

    @Test func `A streamed call is retried before the response is delivered, and not afterwards`() async throws {
        let server = sequence(.status(503), .text("abcdef").with(.cut(after: 3)), .text("abcdef"))
        let heads = Journal()
        await expectError(\NetworkError.kind, "incompleteBody") {
            try await retrying(server).stream(request: makeRequest()) { response in
                heads.add("\(response.status.code) in \(response.attempts)")
                for try await _ in response.bodyStream {}
            }
        }
        #expect(heads.entries == ["200 in 2"])
        #expect(server.requests.count == 2)
    }

    @Sendable private static func isBusy(_: HttpRequest, _ outcome: Result<HttpResponse, NetworkError>) -> Bool {
        (try? outcome.get().status) == .serviceUnavailable
    }

    @Test(arguments: [true, false], [true, false])
    func `The body of a retried response is read to its end if it has been received, and cancelled otherwise`(
        isApps: Bool,
        isReceived: Bool
    ) async throws {
        let journal = Journal()
        let (client, _) = makeClient(sequence(.text("busy", status: 503), .text("there"))) { config in
            config.retry = isApps ? .custom(backoff: .constant(.zero), Self.isBusy) : .constant(delay: .zero)
            config.retryTime = time.retryTime
            config.addWireInterceptor(Reading(isReceived: isReceived, journal: journal))
        }
        try await client.stream(request: makeRequest()) { response in
            for try await _ in response.bodyStream {}
        }
        let discarding = isReceived ? ["read", "read to its end"] : ["cancelled"]
        #expect(journal.entries == ["request"] + discarding + ["request", "read", "read to its end"])
    }

    @Test func `The last response of a streamed call has a readable body`() async throws {
        let server = sequence(.text("sorry", status: 503))
        let text = try await retrying(server).stream(request: makeRequest()) { response in
            try await String(decoding: response.bodyStream.collect(upTo: 100), as: UTF8.self)
        }
        #expect(text == "sorry")
        #expect(server.requests.count == 3)
    }
}

/// Chunks of a stream that ends, or the same chunk each time.
private struct AnyChunks: AsyncSequence, Sendable {
    let stream: AsyncStream<Data>?

    init(_ stream: AsyncStream<Data>? = nil) { self.stream = stream }

    func makeAsyncIterator() -> AsyncStream<Data>.Iterator {
        let again = AsyncStream<Data> { continuation in
            continuation.yield(Data("whole".utf8))
            continuation.finish()
        }
        return (stream ?? again).makeAsyncIterator()
    }
}

/// Records each request and each read of a body.
private struct Reading: Interceptor {
    struct Source: ResponseBodySource {
        let body: Data
        let isReceived: Bool
        let isRead = Locked(false)
        let journal: Journal

        var trailers: HTTPFields { [:] }

        func read() async throws(NetworkError) -> Data? {
            let wasRead = isRead.withLock { isRead in
                defer { isRead = true }
                return isRead
            }
            journal.add(wasRead ? "read to its end" : "read")
            return wasRead ? nil : body
        }

        func cancel() { journal.add("cancelled") }
    }

    let isReceived: Bool
    let journal: Journal

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        journal.add("request")
        var response = try await next(request)
        let body = try await response.bodyStream.collect(upTo: 100)
        response.bodyStream = ResponseBody(source: Source(body: body, isReceived: isReceived, journal: journal))
        return response
    }
}
