import ClientTestSupport
import Foundation
import SallyportTesting
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct TrafficRecorderTests {
    private struct Signing: MessageInterceptor {
        func willSend(_ request: inout HttpRequest) throws {
            request.setHeader(name: "X-Signature", value: "s3cret", isSensitive: true)
            request.setParameter(name: "page", value: "2")
        }
    }

    private struct Offline: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            HttpResponse(
                status: .accepted,
                headers: ["Content-Type": ["text/plain"]],
                body: Data("later".utf8),
                request: request
            )
        }
    }

    private struct Refusing: MessageInterceptor {
        func willSend(_ request: inout HttpRequest) throws {
            throw NetworkError.invalidRequest("there is no signature")
        }
    }

    private let recorder = TrafficRecorder()

    private func client(_ server: MockTransport, _ configure: (inout HttpClientConfiguration) -> Void = { _ in })
        -> HttpClient
    {
        makeClient(server) { config in
            config.recorder = recorder
            config.standardHeaders = StandardHeaders(requestedWith: nil, requestedPlatform: nil)
            configure(&config)
        }.client
    }

    private func onlyCall() throws -> TrafficCall {
        let calls = recorder.changes(since: 0).calls
        #expect(calls.count == 1)
        return try #require(calls.first)
    }

    @Test func `A call is recorded as the app built it and as it was sent, with the changes between them`() async throws
    {
        let client = client(MockTransport { _ in .json(#"{"name":"Ada","token":"s3cret"}"#) }) {
            $0.addInterceptor(Signing())
        }
        let response = try await client.request { request in
            request.url = "https://api.example.com/users?code=s3cret"
            request.post(json: ["password": "s3cret", "name": "Ada"])
        }
        #expect(response.trace == nil)
        let call = try onlyCall()
        #expect(call.request.method == "POST")
        #expect(call.request.url == "https://api.example.com/users?code=***")
        #expect(call.request.postData?.text == #"{"name":"Ada","password":"***"}"#)
        #expect(!call.request.headers.contains { $0.name == "X-Signature" })
        #expect(call.status == 200)
        let duration = try #require(call.duration)
        let attempt = try #require(call.attempts.first)
        let entry = try #require(attempt.entry)
        #expect(call.attempts.count == 1)
        #expect(attempt.stages.map(\.name) == ["Signing"])
        #expect(attempt.isComplete)
        #expect(entry.request.url == "https://api.example.com/users?code=***&page=2")
        #expect(entry.request.queryString.last == HttpArchive.Field(name: "page", value: "2"))
        #expect(entry.request.headers.contains(HttpArchive.Field(name: "X-Signature", value: "***")))
        #expect(entry.response.content.text == #"{"name":"Ada","token":"***"}"#)
        #expect(entry.response.content.size == 31)
        #expect(entry.response.bodySize == 31)
        #expect(entry.response.httpVersion == "HTTP/1.1")
        #expect(entry.time <= duration)
        let text = String(decoding: try recorder.archive().data(), as: UTF8.self)
        #expect(!text.contains("s3cret"))
        #expect(text.contains("+ header X-Signature: ***"))
    }

    @Test func `Each redirect and each retry is an attempt of the same call`() async throws {
        let server = MockTransport()
        server.on(.get, "/old", .redirect(to: "/new"))
        let failures = Journal()
        server.on(.get, "/new") { _ in
            failures.add("")
            return failures.entries.count < 2 ? .status(503) : .text("here")
        }
        let client = client(server) { config in
            config.redirects = .follow(limit: 3)
            config.retry = .exponential(attempts: 2, base: .milliseconds(1))
        }
        _ = try await client.request { $0.url = "https://example.com/old" }
        let call = try onlyCall()
        #expect(call.attempts.compactMap { $0.entry?.response.status } == [302, 503, 302, 200])
        #expect(call.status == 200)
        #expect(call.attempts.first?.entry?.response.redirectURL == "/new")
        let starts = call.attempts.compactMap(\.start)
        #expect(starts == starts.sorted())
        let archive = recorder.archive()
        #expect(archive.pages.map(\.id) == ["call-1"])
        #expect(Set(archive.entries.map(\.pageref)) == ["call-1"])
        #expect(archive.entries.first?.comment?.hasPrefix("attempt 1 of \(call.attempts.count)") == true)
    }

    @Test func `A streamed body is recorded as it is read, up to the limit`() async throws {
        var limits = TrafficRecorder.Limits()
        limits.bodyBytes = 10
        let recorder = TrafficRecorder(limits: limits)
        let client = client(MockTransport { _ in .text("line 1\nline 2\nline 3\n").with(.drip(bytes: 4)) }) {
            $0.recorder = recorder
        }
        try await client.stream(request: makeRequest()) { response in
            let before = try #require(recorder.changes(since: 0).calls.first)
            #expect(before.status == 200)
            #expect(before.duration == nil)
            for try await _ in response.bodyStream {}
        }
        let call = try #require(recorder.changes(since: 0).calls.first)
        let content = try #require(call.attempts.first?.entry?.response.content)
        #expect(call.duration != nil)
        #expect(content.text == "line 1\n")
        #expect(content.size == 21)
        #expect(content.comment == "the first 7 of 21 bytes")
    }

    @Test func `A streamed body that is not read to its end is complete at the end of its scope`() async throws {
        let client = client(MockTransport { _ in .text("abcdefgh").with(.drip(bytes: 2)) })
        try await client.stream(request: makeRequest()) { response in
            for try await _ in response.bodyStream { break }
        }
        let call = try onlyCall()
        #expect(call.duration != nil)
        #expect(call.attempts.first?.entry?.response.content.text == "ab")
    }

    @Test func `A failure is recorded with the status of an incomplete response`() async throws {
        let client = client(MockTransport { _ in .text("abcdef").with(.cut(after: 2)) })
        await expectError(\NetworkError.kind, "incompleteBody") { try await client.request(request: makeRequest()) }
        let call = try onlyCall()
        #expect(call.status == nil)
        #expect(call.error?.contains("the body ended after 2 bytes") == true)
        #expect(call.attempts.first?.entry?.response.status == 200)
        #expect(call.attempts.first?.error != nil)
        #expect(call.duration != nil)
        #expect(recorder.archive().entries.first?.comment?.contains("ended after 2 bytes") == true)
    }

    @Test func `A response that an interceptor returns is recorded as not sent`() async throws {
        let client = client(MockTransport()) { $0.addInterceptor(Offline()) }
        _ = try await client.request(request: makeRequest())
        let attempt = try #require(try onlyCall().attempts.first)
        #expect(attempt.answeredBy == "Offline")
        #expect(attempt.entry?.response.content.text == "later")
        #expect(recorder.archive().entries.first?.comment == "answered by Offline, and not sent")
    }

    @Test func `A request that is refused before it is sent is an entry without a response`() async throws {
        let client = client(MockTransport()) {
            $0.addInterceptor(Signing())
            $0.addInterceptor(Refusing())
        }
        await expectError(\NetworkError.kind, "invalidRequest") { try await client.request(request: makeRequest()) }
        client.close()
        await expectError(\NetworkError.kind, "clientClosed") { try await client.request(request: makeRequest()) }
        let archive = recorder.archive()
        #expect(archive.pages.map(\.id) == ["call-1", "call-2"])
        #expect(archive.entries.map(\.pageref) == ["call-1", "call-2"])
        #expect(archive.entries.map(\.response.status) == [0, 0])
        let comments = archive.entries.compactMap(\.comment)
        #expect(comments.allSatisfy { $0.hasPrefix("not sent\n") })
        #expect(comments.first?.contains("there is no signature") == true)
        #expect(comments.first?.contains("@ Signing\n+ ") == true)
    }

    @Test func `A validation in the background is a call of its own, and connections have their details`() async throws
    {
        let field = "Cache-Control: max-age=60, stale-while-revalidate=60"
        let responses = [rawResponse(200, [field], "first"), rawResponse(200, [field], "second")]
        try await withCacheServer(
            responses,
            { [recorder] config in
                config.recorder = recorder
                config.transportConfiguration.recordsConnectionDetails = true
            }
        ) { [recorder] server in
            _ = try await server.request()
            server.clock.advance(by: 70)
            #expect(try await server.request().bodyAsString() == "first")
            let call = try await withDeadline(.patience, "the validation in the background") {
                while true {
                    try Task.checkCancellation()
                    let calls = recorder.changes(since: 0).calls
                    if calls.count == 3, calls[2].duration != nil { return calls[2] }
                    await Task.yield()
                }
            }
            #expect(call.action == "validation in the background")
            #expect(call.status == 200)
            #expect(call.attempts.map { $0.entry?.response.content.size } == [6])
            let archive = recorder.archive()
            #expect(archive.pages.last?.title == "GET \(server.url) (validation in the background)")
            #expect(archive.entries.first?.connection.flatMap { Int($0) } != nil)
        }
    }

    @Test func `The texts of errors count towards the size of a call`() {
        var masker = SecretMasker(style: .display)
        let request = HttpArchive.Request(masking: makeRequest(), bodyLimit: 0, &masker)
        var call = TrafficCall(id: 1, action: nil, started: Date(), request: request)
        call.attempts = [TrafficAttempt()]
        let size = call.measuredSize
        call.error = String(repeating: "x", count: 5_000)
        call.attempts[0].error = call.error
        #expect(call.measuredSize == size + 10_000)
    }

    @Test func `Binary and long bodies are recorded without their content, and Content-Length agrees with the record`()
        async throws
    {
        let picture = MockResponse(headers: [.contentType: "image/png", .contentLength: "3"], body: Data([1, 2, 3]))
        let client = client(MockTransport { _ in picture })
        _ = try await client.request { request in
            request.url = "https://example.com/"
            request.post(contentType: "text/plain", body: "")
            request.body = .stream(
                BodyStream(
                    AsyncStream { continuation in
                        continuation.yield(Data("a".utf8))
                        continuation.finish()
                    }
                )
            )
        }
        let entry = try #require(recorder.archive().entries.first)
        #expect(entry.request.postData?.comment == "a stream, which is not recorded")
        #expect(entry.response.content.text == nil)
        #expect(entry.response.content.size == 3)
        #expect(
            entry.response.content.comment == "3 bytes, which are not recorded: they cannot be searched for secrets"
        )
        #expect(entry.response.headers.contains(HttpArchive.Field(name: "Content-Length", value: "0")))
    }

    @Test func `The oldest calls are removed when there are too many or they are too large`() async throws {
        var limits = TrafficRecorder.Limits()
        limits.calls = 3
        let few = TrafficRecorder(limits: limits)
        limits.calls = 100
        limits.bytes = 20_000
        let small = TrafficRecorder(limits: limits)
        let text = String(repeating: "x", count: 5_000)
        for recorder in [few, small] {
            let client = client(MockTransport { _ in .text(text) }) { $0.recorder = recorder }
            for _ in 0..<8 { _ = try await client.request(request: makeRequest()) }
        }
        #expect(few.changes(since: 0).calls.map(\.id) == [6, 7, 8])
        #expect(few.changes(since: 0).first == 6)
        #expect((1...3).contains(small.count))
        #expect(small.changes(since: 0).calls.last?.id == 8)
    }

    @Test func `Only calls that have changed since a version are returned, and cleared calls are gone`() async throws {
        let client = client(MockTransport { _ in .text("a") })
        _ = try await client.request(request: makeRequest())
        let version = recorder.changes(since: 0).version
        #expect(recorder.changes(since: version).calls.isEmpty)
        _ = try await client.request(request: makeRequest())
        #expect(recorder.changes(since: version).calls.map(\.id) == [2])
        recorder.clear()
        #expect(recorder.count == 0)
        #expect(recorder.changes(since: 0).first == 3)
        #expect(recorder.archive().entries.isEmpty)
    }

    @Test func `Concurrent calls of several clients are recorded`() async throws {
        let clients = (0..<4).map { _ in client(MockTransport { _ in .text("a") }) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients {
                group.addTask {
                    for _ in 0..<25 { _ = try await client.request(request: makeRequest()) }
                }
            }
            try await group.waitForAll()
        }
        let calls = recorder.changes(since: 0).calls
        #expect(calls.map(\.id) == Array(1...100))
        #expect(calls.allSatisfy { $0.status == 200 && $0.duration != nil })
    }

    @Test func `A client that is created in a task with a recorder uses it`() async throws {
        let client = TrafficRecorder.$ofNewClients.withValue(recorder) {
            makeClient(MockTransport { _ in .text("a") }).client
        }
        _ = try await client.request(request: makeRequest())
        #expect(recorder.count == 1)
        #expect(HttpClientConfiguration().recorder == nil)
    }

    @Test func `The phases of a new and of a shared connection end with the response, and add up to its duration`() {
        let sent = ContinuousClock.now
        let opened = ConnectionFacts(
            openingStart: sent + .milliseconds(2),
            resolve: .milliseconds(3),
            connect: .milliseconds(5),
            tls: .milliseconds(10),
            firstByte: .milliseconds(40)
        )
        let timings = HttpArchive.Timings(opened, sent: sent, total: 50)
        #expect(
            timings == HttpArchive.Timings(blocked: 2, dns: 3, connect: 15, ssl: 10, send: 0, wait: 20, receive: 10)
        )
        var earlier = opened
        earlier.openingStart = sent - .milliseconds(10)
        #expect(
            HttpArchive.Timings(earlier, sent: sent, total: 50)
                == HttpArchive.Timings(blocked: 0, dns: 0, connect: 8, ssl: 8, send: 0, wait: 32, receive: 10)
        )
        let reused = ConnectionFacts(isReused: true, firstByte: .milliseconds(40))
        #expect(
            HttpArchive.Timings(reused, sent: sent, total: 41.5)
                == HttpArchive.Timings(send: 0, wait: 40, receive: 1.5)
        )
    }
}
