import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing
import TransportConformance

@testable import SallyportEngine

@Suite(.concurrencyLimited) struct EngineCodingsTests {
    private static let text = "guarded on both sides"

    private func answer(_ body: [UInt8], codings: String) -> [UInt8] {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(codings)\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    private func call(
        _ server: ScriptedServer,
        _ configuration: TransportConfiguration,
        method: HTTPRequest.Method = .get,
        fields: HTTPFields = [:]
    ) async throws -> String {
        let engine = Engine(configuration: configuration)
        defer { engine.close() }
        let head = HTTPRequest(
            method: method,
            scheme: "http",
            authority: server.authority,
            path: "/",
            headerFields: fields
        )
        return try await engine.send(TransportRequest(head: head, timeouts: .patient)) { response in
            let coding = response.head.headerFields[.contentEncoding].map { "\($0): " } ?? ""
            return coding + String(decoding: try await response.body.collect(upTo: 1_000_000), as: UTF8.self)
        }
    }

    private func failure(
        _ server: ScriptedServer,
        _ configuration: TransportConfiguration
    ) async throws -> NetworkError? {
        await #expect(throws: NetworkError.self) { try await call(server, configuration) }
    }

    @Test
    func `A coding of the app is listed after gzip and deflate, and its body is decoded`() async throws {
        let answer = answer(Array(Self.text.utf8).masked(key: 0xFF), codings: "x-mask")
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let body = try await call(server, TransportConfiguration(contentCodings: [.mask]))
            #expect(body == Self.text)
            #expect(server.requests.first?["Accept-Encoding"] == ["gzip, deflate, X-Mask"])
        }
    }

    @Test
    func `With decoding disabled, a coding of the app is neither listed nor decoded`() async throws {
        let answer = answer(Array("as it is".utf8), codings: "x-mask")
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let configuration = TransportConfiguration(decodesContent: false, contentCodings: [.mask])
            let body = try await call(server, configuration)
            #expect(body == "x-mask: as it is")
            #expect(server.requests.first?["Accept-Encoding"] == [])
        }
    }

    @Test
    func `The error for an undecodable body names its coding and the progress`() async throws {
        let body = Array(Array(Self.text.utf8).masked(key: 0xFF).dropLast())
        let answer = answer(body, codings: "x-mask")
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let error = try await failure(server, TransportConfiguration(contentCodings: [.mask]))
            guard case .undecodableBody(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(
                failure.reason
                    == "the body cannot be decoded from X-Mask: it ends too early; 21 bytes of it were read and gave 21"
            )
            #expect(failure.underlying as? ContentDecodingError == .truncated)
        }
    }

    @Test(arguments: ["none", "UTF-8", "aws-chunked", "binary", "gzip, aws-chunked"])
    func `A body with a label that is not a coding is passed on as it was sent, with its label`(label: String)
        async throws
    {
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer(Array("{}".utf8), codings: label))]]) {
            server in
            let body = try await call(server, TransportConfiguration())
            #expect(body == "\(label): {}")
            #expect(server.requests.first?["Accept-Encoding"] == ["gzip, deflate"])
        }
    }

    @Test(arguments: ["br", "compress", "compress, gzip", "gzip, compress"])
    func `The error for a body in an unsupported coding names the coding`(field: String) async throws {
        let name = field == "br" ? "br" : "compress"
        let body = field == "compress, gzip" ? EncodedBody.fastest.encoded : Array(Self.text.utf8)
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer(body, codings: field))]]) { server in
            let error = try await failure(server, TransportConfiguration())
            guard case .undecodableBody(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.reason == "the body cannot be decoded from \(name): this coding is not supported")
            #expect(failure.underlying as? ContentDecodingError == .unsupportedCoding)
            try await server.waitForOpenConnections(0)
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.head, "200 OK", "Content-Length: 9"), (.get, "204 No Content", "X-A: 1"),
        (.get, "304 Not Modified", "Content-Length: 9"), (.get, "200 OK", "Content-Length: 0"),
        (.get, "200 OK", "Transfer-Encoding: chunked"),
    ])
    func `A response without a body can have an unsupported coding`(
        method: HTTPRequest.Method,
        status: String,
        field: String
    ) async throws {
        let end = field.hasSuffix("chunked") ? "0\r\n\r\n" : ""
        let answer = "HTTP/1.1 \(status)\r\nContent-Encoding: zstd\r\n\(field)\r\n\r\n\(end)"
        try await withScriptedServer([[.receiveRequest, .send(answer)]]) { server in
            let text = try await call(server, TransportConfiguration(), method: method)
            #expect(text == (field.hasSuffix("chunked") ? "" : "zstd: "))
        }
    }

    @Test func `A body in an unsupported coding requested by the app is passed through, and x-gzip is decoded`()
        async throws
    {
        for (coding, body, text) in [
            ("br", Array(Self.text.utf8), "br: \(Self.text)"), ("gzip, br", [1, 2], "gzip, br: \u{1}\u{2}"),
            ("X-GZIP", EncodedBody.fastest.encoded, String(decoding: EncodedBody.fastest.decoded, as: UTF8.self)),
            ("identity", Array("as is".utf8), "identity: as is"),
        ] {
            try await withScriptedServer([[.receiveRequest, .sendBytes(answer(body, codings: coding))]]) { server in
                let fields: HTTPFields = [.acceptEncoding: coding]
                let received = try await call(server, TransportConfiguration(), fields: fields)
                #expect(received == text)
            }
        }
    }

    @Test
    func `A body with four codings is refused`() async throws {
        let answer = answer([0], codings: "gzip, gzip, gzip, gzip")
        try await withScriptedServer([[.receiveRequest, .sendBytes(answer)]]) { server in
            let error = try await failure(server, TransportConfiguration())
            guard case .undecodableBody(let failure)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(failure.underlying as? ContentDecodingError == .tooManyCodings(limit: 3))
            #expect(failure.reason.contains("gzip, gzip, gzip, gzip: it is encoded more often than the limit of 3"))
            try await server.waitForOpenConnections(0)
        }
    }

    @Test
    func `A coding that the engine already supports is refused before a connection is opened`() async throws {
        try await withScriptedServer([[.stall]]) { server in
            let coding = ContentCoding(name: "GZIP") { MaskDecoder(key: 1) }
            let error = try await failure(server, TransportConfiguration(contentCodings: [coding]))
            guard case .invalidRequest? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.acceptedConnections == 0)
        }
    }
}
