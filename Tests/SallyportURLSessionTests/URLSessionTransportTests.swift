import Foundation
import HTTPTypes
import SallyportTransport
import SallyportURLSession
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct URLSessionTransportTests {
    private func send(
        _ method: HTTPRequest.Method = .get,
        to authority: String,
        path: String = "/",
        scheme: String = "http",
        configuration: TransportConfiguration = TransportConfiguration()
    ) async throws -> (status: Int, body: Data) {
        let transport = URLSessionTransport(configuration: configuration)
        defer { transport.close() }
        let head = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
        return try await transport.send(TransportRequest(head: head)) { response in
            (response.head.status.code, try await response.body.collect(upTo: 1_000_000))
        }
    }

    private func expectInvalidRequest(_ body: () async throws -> Void) async {
        let error = await #expect(throws: NetworkError.self) { try await body() }
        guard case .invalidRequest = error else {
            Issue.record("not an invalid request: \(String(describing: error))")
            return
        }
    }

    @Test func `A required HTTP version is refused before anything is sent`() async throws {
        try await withScriptedServer([]) { server in
            let transport = URLSessionTransport(configuration: TransportConfiguration(httpVersions: .http2))
            defer { transport.close() }
            let head = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            await expectInvalidRequest { try await transport.send(TransportRequest(head: head)) { _ in } }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test func `An observer of connections is refused, as URLSession would not call it`() async throws {
        struct Observer: TransportObserver {}
        try await withScriptedServer([[.stall]]) { server in
            let configuration = TransportConfiguration(observer: Observer())
            await expectInvalidRequest { _ = try await send(to: server.authority, configuration: configuration) }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(arguments: [
        (Timeouts(resolve: .seconds(2)), "resolve"), (Timeouts(connect: .milliseconds(500), total: nil), "connect"),
        (Timeouts(tls: .seconds(11), total: .seconds(12)), "tls"), (Timeouts(queue: .seconds(1)), "queue"),
        (Timeouts(tls: .seconds(4), head: .seconds(5)), "tls"),
        (Timeouts(resolve: .seconds(5), connect: .seconds(5), tls: .seconds(5), head: .seconds(5), total: nil), nil),
        (Timeouts(), nil), (Timeouts(total: .seconds(60)), nil), (Timeouts(total: nil), nil),
        (Timeouts(resolve: nil, connect: nil, tls: nil), nil),
        (Timeouts(resolve: .seconds(30), connect: .seconds(30), tls: .seconds(30), total: .seconds(30)), nil),
    ])
    func `A timeout of a phase that URLSession does not report is refused, unless another limit is as short`(
        timeouts: Timeouts,
        refused: String?
    ) async throws {
        let response = "HTTP/1.1 204 No Content\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(response)]]) { server in
            let transport = URLSessionTransport(configuration: TransportConfiguration())
            defer { transport.close() }
            let head = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/")
            do {
                try await transport.send(TransportRequest(head: head, timeouts: timeouts)) { _ in }
                #expect(refused == nil)
            } catch NetworkError.invalidRequest(let failure) {
                let refused = try #require(refused)
                #expect(failure.reason.hasPrefix("URLSession does not support the timeout \(refused) of "))
                #expect(server.acceptedConnections == 0)
            }
        }
    }

    @Test(
        arguments: [
            "Basic realm=\"x\"", "Basic", "Digest realm=\"x\", nonce=\"y\"", "Negotiate", "Bearer error=\"z\"", ",,=\"",
        ]
    )
    func `A 401 response is returned unanswered, with any challenge`(_ challenge: String)
        async throws
    {
        let response = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nno"
        try await withScriptedServer([[.receiveRequest, .send(response)]]) { server in
            let answer = try await send(to: server.authority)
            #expect(answer.status == 401)
            #expect(answer.body == Data("no".utf8))
            #expect(server.requests.count == 1)
            #expect(server.requests.first?["Authorization"] == [])
        }
    }

    @Test func `A content coding of the app is refused, as the system decodes bodies itself`() async throws {
        struct Nothing: BodyDecoder {
            func decode(_ input: inout ArraySlice<UInt8>, upTo limit: Int) -> [UInt8] { [] }
            func finish() {}
        }
        let configuration = TransportConfiguration(contentCodings: [ContentCoding(name: "x-own") { Nothing() }])
        try await withScriptedServer([[.stall]]) { server in
            await expectInvalidRequest { _ = try await send(to: server.authority, configuration: configuration) }
            #expect(server.acceptedConnections == 0)
        }
    }

    @Test(
        arguments: ["/elsewhere", "ftp://example.com/", "::no %% URL"]
    )
    func `A redirect is returned as a response with its body, with any location`(_ location: String) async throws {
        let response = "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(location)\r\nContent-Length: 5\r\n\r\nmoved"
        try await withScriptedServer([[.receiveRequest, .send(response)]]) { server in
            let answer = try await send(.post, to: server.authority)
            #expect(answer.status == 307)
            #expect(answer.body == Data("moved".utf8))
            #expect(server.requests.count == 1)
        }
    }

    @Test func `A redirect without a location is returned with its complete body or fails as incomplete`() async throws
    {
        let response = "HTTP/1.1 307 Temporary Redirect\r\nContent-Length: 5\r\n\r\nmoved"
        try await withScriptedServer([[.receiveRequest, .send(response)]]) { server in
            do {
                let answer = try await send(to: server.authority)
                #expect(answer.body == Data("moved".utf8))
            } catch NetworkError.incompleteBody {
                // FoundationNetworking buffers the bodies of redirects, and loses this one.
            }
        }
    }

    @Test func `The scheme is case-insensitive`() async throws {
        let response = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer([[.receiveRequest, .send(response)]]) { server in
            let answer = try await send(to: server.authority, scheme: "HTTP")
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: ["/%zz", "/{}|^`\"<>\\", "/["])
    func `A target that Foundation would rewrite is refused`(_ path: String) async {
        await expectInvalidRequest { _ = try await send(to: "127.0.0.1:1", path: path) }
    }

    @Test func `The target of OPTIONS * is refused, as it would become part of the host`() async {
        await expectInvalidRequest { _ = try await send(.options, to: "127.0.0.1:1", path: "*") }
    }

    @Test(arguments: ["a%00b", "127.1:1", "[]:1"])
    func `Hosts that Foundation and libcurl parse differently are refused`(_ authority: String) async {
        await expectInvalidRequest { _ = try await send(to: authority) }
    }
}
