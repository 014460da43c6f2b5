import Foundation
import HTTPTypes
import SallyportTesting
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MockTransportTests {
    private func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        body: RequestBody = .none,
        timeouts: Timeouts = Timeouts()
    ) -> TransportRequest {
        let head = HTTPRequest(method: method, scheme: "https", authority: "example.com", path: path)
        return TransportRequest(head: head, body: body, timeouts: timeouts)
    }

    private func text(_ server: MockTransport, _ request: TransportRequest) async throws -> String {
        try await server.send(request) { String(decoding: try await $0.body.collect(upTo: 1000), as: UTF8.self) }
    }

    private func failure(_ server: MockTransport, _ request: TransportRequest) async -> NetworkError? {
        await #expect(throws: NetworkError.self) { try await text(server, request) }
    }

    /// Returns the name of an error's case.
    private func kind(_ error: (any Error)?) -> String {
        guard let error = error as? NetworkError else { return "none" }
        return "." + (Mirror(reflecting: error).children.first?.label ?? "")
    }

    @Test func `A closure responds to each request`() async throws {
        let server = MockTransport { request in .text("\(request.method) \(request.path) \(request.query ?? "-")") }
        #expect(try await text(server, request(.put, "/a?b=c")) == "PUT /a b=c")
        #expect(try await text(server, request()) == "GET / -")
    }

    @Test func `Routes match method and path, and the one added last has precedence`() async throws {
        let server = MockTransport { _ in .text("other") }
        server.on(nil, "/**", .text("any"))
        server.on(.get, "/users/*", .text("user"))
        server.on(.get, "/users/me", .text("me"))
        server.on(.post, "/users") { request in .text(request.text, status: 201) }
        #expect(try await text(server, request(.get, "/users/7?x=1")) == "user")
        #expect(try await text(server, request(.get, "/users/me")) == "me")
        #expect(try await text(server, request(.post, "/users", body: .data(Data("new".utf8)))) == "new")
        #expect(try await text(server, request(.get, "/users/7/photo")) == "any")
        #expect(try await text(server, request(.delete, "/")) == "any")
    }

    @Test func `The error for a request without a route names it`() async {
        let error = await failure(MockTransport(), request(.get, "/nowhere"))
        #expect("\(error, default: "")".contains("no route for GET /nowhere"))
    }

    @Test func `Requests are recorded with the bytes of any body`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let chunks = AsyncStream<Data> { stream in
            for text in ["str", "eam"] { stream.yield(Data(text.utf8)) }
            stream.finish()
        }
        let server = MockTransport { _ in .status(200) }
        for body in [.none, .data(Data("data".utf8)), .file(file), .stream(BodyStream(chunks))] as [RequestBody] {
            _ = try await text(server, request(.post, "/", body: body))
        }
        #expect(server.requests.map(\.text) == ["", "data", "file", "stream"])
        #expect(server.requests.first?.url == "https://example.com/")
    }

    @Test func `A fail fault throws its error`() async {
        let error = await failure(MockTransport { _ in .fail(.hostNotFound("no such host")) }, request())
        #expect(kind(error) == ".hostNotFound")
    }

    @Test func `An error thrown by the response closure fails the exchange`() async {
        struct Mine: Error {}
        let error = await failure(MockTransport { _ in throw Mine() }, request())
        #expect(kind(error) == ".networkError")
        #expect(error?.failure.underlying is Mine)
    }

    @Test func `A dripping body arrives in chunks`() async throws {
        let server = MockTransport { _ in .text("abcde").with(.drip(bytes: 2)) }
        let sizes = try await server.send(request()) { response in
            var sizes: [Int] = []
            for try await chunk in response.body { sizes.append(chunk.count) }
            return sizes
        }
        #expect(sizes == [2, 2, 1])
    }

    @Test(arguments: [0, 3])
    func `A cut body returns its first bytes and then throws the same error repeatedly`(count: Int) async throws {
        let server = MockTransport { _ in .text("abcdef").with(.cut(after: count)) }
        try await server.send(request()) { response in
            var reader = response.body.makeAsyncIterator()
            let first = count > 0 ? try await reader.next() : nil
            #expect(first?.count ?? 0 == count)
            for _ in 0..<2 {
                do {
                    _ = try await reader.next()
                    Issue.record("the body ended as if it were complete")
                } catch {
                    #expect(kind(error) == ".incompleteBody")
                }
            }
        }
    }

    @Test(arguments: [MockFault.stall, .stallBody(after: 2)])
    func `A stall ends with the time limit of the exchange`(fault: MockFault) async {
        let server = MockTransport { _ in .text("abcdef").with(fault) }
        let error = await failure(server, request(timeouts: Timeouts(total: .milliseconds(1))))
        #expect(kind(error) == ".timeout")
    }

    @Test(arguments: [MockFault.stall, .stallBody(after: 2)], [true, false])
    func `A stall ends when the task is cancelled or the transport is closed`(fault: MockFault, isClosed: Bool) async {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let server = MockTransport { _ in
            ask.yield()
            return .text("abcdef").with(fault)
        }
        let call = Task { await failure(server, request()) }
        for await _ in asked { break }
        if isClosed { server.close() } else { call.cancel() }
        #expect(kind(await call.value) == (isClosed ? ".clientClosed" : ".cancelled"))
    }

    @Test func `A closed transport refuses requests`() async {
        let server = MockTransport { _ in .status(200) }
        server.close()
        #expect(kind(await failure(server, request())) == ".clientClosed")
        #expect(server.requests.isEmpty)
    }

    @Test func `The response to a HEAD request has no body`() async throws {
        #expect(try await text(MockTransport { _ in .text("abc") }, request(.head)) == "")
    }

    @Test func `The body cannot be read after the scope of its response`() async throws {
        let response = try await MockTransport { _ in .text("abc") }.send(request()) { $0 }
        await expectError(\NetworkError.kind, "cancelled") { try await response.body.collect(upTo: 10) }
    }

    @Test func `The presented key is compared with the pins, and a mismatch is not recorded`() async throws {
        let key = try CertificatePin("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        let other = try CertificatePin("sha256/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=")
        let host = try #require(request().head.authority)
        let server = MockTransport { _ in .status(200) }
        var pins = CertificatePins()
        try pins.pin(HostPattern(host), to: [key])
        let pinned = server.adding(pins)
        func failure() async -> NetworkError? {
            do {
                _ = try await pinned.send(request()) { $0.head.status }
                return nil
            } catch {
                return error as? NetworkError
            }
        }
        #expect(kind(await failure()) == ".pinMismatch")
        server.present([other])
        #expect(kind(await failure()) == ".pinMismatch")
        #expect(server.requests.isEmpty)
        server.present([other, key], for: host)
        #expect(await failure() == nil)
        pinned.close()
        #expect(kind(await failure()) == ".clientClosed")
        #expect(server.requests.count == 1)
        let stopped = server.adding(pins)
        await stopped.shutdown(grace: .zero)
        let error = await #expect(throws: NetworkError.self) {
            _ = try await stopped.send(request()) { $0.head.status }
        }
        #expect(kind(error) == ".clientClosed")
        _ = try await server.send(request()) { $0.head.status }
    }
}
