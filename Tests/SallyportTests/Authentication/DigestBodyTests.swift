import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct DigestBodyTests {
    private func send(_ body: RequestBody, to server: MockTransport) async throws -> HttpResponse {
        try await send(body, by: makeClient(server) { $0.authentication = [Mufasa.authentication] }.client)
    }

    private func send(_ body: RequestBody, by client: HttpClient) async throws -> HttpResponse {
        try await client.request(
            request: makeRequest(Mufasa.url) { request in
                request.setMethod(.post)
                request.body = body
            }
        )
    }

    private func stream(isReplayable: Bool) -> RequestBody {
        .stream(BodyStream(Pieces(), isReplayable: isReplayable))
    }

    /// A replayable stream of `abc`.
    private struct Pieces: AsyncSequence, Sendable {
        func makeAsyncIterator() -> AsyncStream<Data>.Iterator {
            AsyncStream { continuation in
                for piece in ["a", "bc"] { continuation.yield(Data(piece.utf8)) }
                continuation.finish()
            }.makeAsyncIterator()
        }
    }

    @Test(arguments: [
        ("MD5", "2647597442c098817ba06c596240129e"),
        ("SHA-256", "9fb9b1da43117a1b25ee0da67e4471b508e7974fe739975b5afa24e687d0a294"),
    ])
    func `With auth-int, data and file bodies are hashed and sent again`(
        algorithm: String,
        proof: String
    ) async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("body")
            try Data("abc".utf8).write(to: file)
            for body in [RequestBody.data(Data("abc".utf8)), .file(file)] {
                let server = MockTransport.answering(
                    .asking(Mufasa.challenge(algorithm, qop: "auth-int")),
                    .status(200)
                )
                _ = try await send(body, to: server)
                #expect(server.authorizations[1]?.parameter("response") == "\"\(proof)\"")
                #expect(server.requests.map(\.text) == ["abc", "abc"])
            }
        }
    }

    @Test func `If both auth and auth-int are offered, auth is used`() async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5", qop: "auth-int,auth")), .status(200))
        _ = try await send(.data(Data("abc".utf8)), to: server)
        #expect(server.authorizations[1]?.parameter("qop") == "auth")
    }

    @Test func `A replayable stream is sent again with auth and refused with auth-int`() async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5")), .status(200))
        _ = try await send(stream(isReplayable: true), to: server)
        #expect(server.requests.map(\.text) == ["abc", "abc"])

        let strict = MockTransport.answering(.asking(Mufasa.challenge("MD5", qop: "auth-int")), .status(200))
        await #expect {
            try await send(stream(isReplayable: true), to: strict)
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("auth-int")
        }
        #expect(strict.requests.count == 1)
    }

    @Test func `A one-shot stream is refused before the first challenge and accepted after it`() async throws {
        let server = MockTransport.answering(.asking(Mufasa.challenge("MD5")), .status(200))
        let (client, _) = makeClient(server) { $0.authentication = [Mufasa.authentication] }
        await #expect {
            try await send(stream(isReplayable: false), by: client)
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.contains("only once")
        }
        #expect(server.requests.isEmpty)
        _ = try await client.request(request: makeRequest(Mufasa.url))
        _ = try await send(stream(isReplayable: false), by: client)
        #expect(server.requests.map(\.text) == ["", "", "abc"])
    }

    @Test func `A one-shot stream fails with invalidRequest if its nonce is stale`() async throws {
        let server = MockTransport.answering(
            .asking(Mufasa.challenge("MD5")),
            .status(200),
            .asking(Mufasa.challenge("MD5", more: ", stale=true"))
        )
        let (client, _) = makeClient(server) { $0.authentication = [Mufasa.authentication] }
        _ = try await client.request(request: makeRequest(Mufasa.url))
        await #expect {
            try await send(stream(isReplayable: false), by: client)
        } throws: { error in
            guard case NetworkError.invalidRequest = error else { return false }
            return true
        }
        #expect(server.requests.count == 3)
    }
}
