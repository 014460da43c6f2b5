import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@testable import SallyportEngine

/// Tests servers that select HTTP/2, and then require HTTP/1.1 for a resource (RFC 9113, section 7).
@Suite(.concurrencyLimited) struct HTTP11RequiredTests {
    private static let required: UInt32 = 13
    private static let answers: Script = [
        .repeating([.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")], times: 10)
    ]

    /// Runs a closure with a server: its first connection plays an HTTP/2 script, the others respond over HTTP/1.1.
    private func serve(
        _ script: Script,
        _ policy: HTTPVersionPolicy = .automatic,
        _ body: @escaping @Sendable (Engine, ScriptedServer) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity(), applicationProtocols: ["h2", "http/1.1"])
        let security = TransportSecurity(trustRoots: .pem(authority.certificatePEM))
        let engine = Engine(configuration: TransportConfiguration(security: security, httpVersions: policy))
        defer { engine.close() }
        try await withDeadline(.patience, "the test to end") {
            try await withScriptedServer([script, Self.answers], tls: tls) { server in try await body(engine, server) }
        }
    }

    private func request(
        _ method: HTTPRequest.Method = .get,
        at server: ScriptedServer,
        body: RequestBody = .none
    ) -> TransportRequest {
        let head = HTTPRequest(method: method, scheme: "https", authority: server.authority, path: "/")
        return TransportRequest(head: head, body: body, timeouts: .patient)
    }

    private func text(_ request: TransportRequest, by engine: Engine) async throws -> String {
        try await engine.send(request) { String(decoding: try await $0.body.collect(upTo: 100), as: UTF8.self) }
    }

    private static let refusals = [[WireFrame.reset(1, required)], [WireFrame.goAway(last: 0, required)]]

    @Test(arguments: refusals, [HTTPRequest.Method.get, .post])
    func `The request is sent again over HTTP/1.1 with any method, and so are later ones`(
        refusal: [WireFrame],
        method: HTTPRequest.Method
    ) async throws {
        let body: RequestBody = method == .post ? .data(Data("pay".utf8)) : .none
        let script: Script = .receivingHTTP2Request(hasBody: method == .post) + [.sendBytes(refusal.flatMap(\.bytes))]
        try await serve(script) { engine, server in
            for _ in 0..<3 { #expect(try await text(request(method, at: server, body: body), by: engine) == "ok") }
            #expect(server.acceptedConnections == 2)
            #expect(server.connections[1].requests.map(\.method) == Array(repeating: method.rawValue, count: 3))
            #expect(server.connections[1].requests.allSatisfy { $0.bodyText == (method == .post ? "pay" : "") })
            try await server.connection(0).waitUntilClosedByClient()
        }
    }

    @Test func `A body that was streamed is not sent again, and the error names the setting`() async throws {
        let script: Script =
            .receivingHTTP2Request(hasBody: true)
            + [.receive(until: "half"), .sendBytes(WireFrame.reset(1, Self.required).bytes)]
        try await serve(script) { engine, server in
            let (chunks, producer) = AsyncStream.makeStream(of: Data.self)
            defer { producer.finish() }
            producer.yield(Data("half".utf8))
            let upload = request(.put, at: server, body: .stream(BodyStream(chunks)))
            let error = await #expect(throws: NetworkError.self) { try await text(upload, by: engine) }
            guard case .connectionLost(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.reason == "the server reset the stream (HTTP_1_1_REQUIRED) before it answered")
            #expect(failure.advice == SettingAdvice.http1Required.rawValue)
            let later = try await text(request(at: server), by: engine)
            #expect(later == "ok")
            #expect(server.acceptedConnections == 2)
        }
    }

    @Test(arguments: refusals)
    func `With HTTP/2 required, the request is not sent again, and the error names the setting`(
        refusal: [WireFrame]
    ) async throws {
        let script: Script = .receivingHTTP2Request() + [.sendBytes(refusal.flatMap(\.bytes))]
        try await serve(script, .http2) { engine, server in
            let error = await #expect(throws: NetworkError.self) { try await text(request(at: server), by: engine) }
            guard case .connectionLost(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.reason.hasSuffix("(HTTP_1_1_REQUIRED) before it answered"))
            #expect(failure.advice == SettingAdvice.http1Required.rawValue)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test func `A response that has begun is not requested again`() async throws {
        let head = WireFrame.headers(1, [(name: ":status", value: "200")])
        let frames = [head, .reset(1, Self.required)].flatMap(\.bytes)
        try await serve(.receivingHTTP2Request() + [.sendBytes(frames)]) { engine, server in
            let error = await #expect(throws: NetworkError.self) { try await text(request(at: server), by: engine) }
            #expect(error.map { HTTP2FailureKind($0) } == .incompleteBody)
            #expect(server.acceptedConnections == 1)
        }
    }
}
