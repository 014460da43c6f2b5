import Foundation
import HTTPTypes
import SallyportTransport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct HTTP2MessagesTests {
    @Test
    func `A request has the pseudo-header fields of HTTP/2 and no connection-specific fields`() async throws {
        try await HTTP2Bench.serve(.answers(1)) { bench in
            var fields = HTTPFields()
            for (name, value) in [
                ("Connection", "keep-alive, X-Hop"), ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "keep-alive"),
                ("Upgrade", "websocket"), ("X-Hop", "1"), ("TE", "trailers"), ("X-Kept", "Yes"),
            ] {
                fields.append(HTTPField(name: try #require(.init(name)), value: value))
            }
            _ = try await bench.answer(bench.request(.get, "/path?q=1", fields: fields))
            let stream = try await bench.server.connection(0).stream(1)
            #expect(stream[":method"] == ["GET"])
            #expect(stream[":scheme"] == ["http"])
            #expect(stream[":path"] == ["/path?q=1"])
            #expect(stream[":authority"] == [bench.server.authority])
            #expect(stream["te"] == ["trailers"])
            #expect(stream["x-kept"] == ["Yes"])
            let names = stream.fields.map(\.name)
            let forbidden = [
                "host", "connection", "keep-alive", "proxy-connection", "upgrade", "transfer-encoding", "x-hop",
            ]
            #expect(forbidden.filter(names.contains).isEmpty)
            #expect(names.allSatisfy { $0 == $0.lowercased() })
            #expect(names.drop { $0.hasPrefix(":") }.allSatisfy { !$0.hasPrefix(":") })
        }
    }

    @Test
    func `A TE field other than trailers is not sent`() async throws {
        try await HTTP2Bench.serve(.answers(1)) { bench in
            let name = try #require(HTTPField.Name("TE"))
            try await bench.expectOK(bench.request(fields: [name: "gzip"]))
            #expect(try await bench.server.connection(0).stream(1)["te"].isEmpty)
        }
    }

    @Test
    func `A Host field set by the app is sent as the authority`() async throws {
        try await HTTP2Bench.serve(.answers(1)) { bench in
            let name = try #require(HTTPField.Name("Host"))
            try await bench.expectOK(bench.request(fields: [name: "other.test"]))
            let stream = try await bench.server.connection(0).stream(1)
            #expect(stream["host"].isEmpty)
            #expect(stream[":authority"] == ["other.test"])
        }
    }

    @Test
    func `Cookies are split into separate fields, and Set-Cookie fields stay separate`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1, [("set-cookie", "x=1"), ("set-cookie", "y=2")], end: true)]
        try await HTTP2Bench.serve(script) { bench in
            let answer = try await bench.answer(bench.request(fields: [.cookie: "a=1; b=2; c=3"]))
            let stream = try await bench.server.connection(0).stream(1)
            #expect(stream["cookie"] == ["a=1", "b=2", "c=3"])
            #expect(answer.response.head.headerFields[values: .setCookie] == ["x=1", "y=2"])
        }
    }

    @Test
    func `Trailers are sent and received`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1), .data(1, "body"), .headers(1, [("x-sum", "42")], end: true)]
        try await HTTP2Bench.serve(script) { bench in
            let name = try #require(HTTPField.Name("X-Sum"))
            var request = bench.request(.post, body: .produced(10))
            request.trailers = { [name: "7"] }
            let answer = try await bench.answer(request)
            #expect(answer.text == "body")
            #expect(answer.response.body.trailers[name] == "42")
            #expect(answer["x-sum"] == nil)
            let stream = try await bench.server.connection(0).stream(1)
            #expect(stream.trailers.map(\.name) == ["x-sum"])
            #expect(stream.trailers.map(\.value) == ["7"])
        }
    }

    @Test
    func `Informational responses are reported before the final one`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1, status: "102"), .head(1, status: "103", [("link", "</a>")])]
            + .response(1)
        try await HTTP2Bench.serve(script) { bench in
            let answer = try await bench.answer()
            #expect(answer.response.informational.map(\.status.code) == [102, 103])
            #expect(answer.text == "ok")
            #expect(answer["link"] == nil)
        }
    }

    @Test
    func `With Expect: 100-continue the body is sent after the informational response`() async throws {
        let proceed = Signal()
        let script: HTTP2Script =
            .greeting() + [.receiveHead(1), .waitFor(proceed), .head(1, status: "100"), .receiveRequest(1)]
            + .response(1)
        try await HTTP2Bench.serve(script) { bench in
            var request = bench.request(.post, body: .data(Data("body".utf8)))
            request.expectsContinue = true
            async let answer = bench.answer(request)
            let connection = try await bench.server.connection(0)
            try await connection.waitForStreams(1)
            try await connection.send(.ping())
            try await connection.waitForFrame("the response to the PING") { $0.kind == .ping }
            #expect(connection.stream(1).body.isEmpty)
            #expect(connection.stream(1)["expect"] == ["100-continue"])
            proceed.fire()
            #expect(try await answer.text == "ok")
            #expect(connection.stream(1).body == Array("body".utf8))
        }
    }

    @Test
    func `With Expect: 100-continue the body is not sent after a final status`() async throws {
        let script: HTTP2Script =
            .greeting() + [.receiveHead(1), .head(1, status: "417", end: true), .receiveReset(1)] + .answer()
        try await HTTP2Bench.serve(script) { bench in
            var request = bench.request(.post, body: .data(Data("body".utf8)))
            request.expectsContinue = true
            let status = try await bench.answer(request).status
            #expect(status == 417)
            try await bench.expectOK()
            let connection = try await bench.server.connection(0)
            #expect(connection.stream(1).body.isEmpty)
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test(arguments: [(HTTPRequest.Method.head, "200"), (.get, "304"), (.head, "404")]
    )
    func `A response without a body can have a Content-Length`(method: HTTPRequest.Method, status: String) async throws
    {
        let script: HTTP2Script =
            .greeting() + [.receiveRequest(1), .head(1, status: status, [("content-length", "1000")], end: true)]
            + .answer()
        try await HTTP2Bench.serve(script) { bench in
            let answer = try await bench.answer(bench.request(method))
            #expect(answer.body.isEmpty)
            #expect(answer["content-length"] == "1000")
            try await bench.expectOK()
            #expect(bench.server.acceptedConnections == 1)
        }
    }

    @Test(arguments: [true, false])
    func `A 204 response is complete after its head or an empty DATA frame`(endsWithHead: Bool) async throws {
        var script: HTTP2Script = .greeting() + [.receiveRequest(1), .head(1, status: "204", end: endsWithHead)]
        if !endsWithHead { script.append(.data(1, "", end: true)) }
        try await HTTP2Bench.serve(script) { bench in
            let answer = try await bench.answer()
            #expect(answer.body.isEmpty)
        }
    }

    @Test(arguments: [[("content-length", "2"), ("content-length", "2")], [("content-length", "2, 2")]])
    func `Repeated equal lengths are accepted as one`(fields: [(String, String)]) async throws {
        try await HTTP2Bench.serve(.greeting() + [.receiveRequest(1), .head(1, fields), .data(1, "ok", end: true)]) {
            bench in
            let answer = try await bench.answer()
            #expect(answer.text == "ok")
            #expect(answer.response.body.length == 2)
        }
    }

    @Test
    func `Padding, priorities and unknown frame types are ignored`() async throws {
        let block = WireFrame.block([(":status", "200"), ("content-length", "2")])
        let script: HTTP2Script =
            .greeting() + [
                .receiveRequest(1),
                .send(WireFrame(WireFrame.Kind(rawValue: 0xBE), flags: 0xFF, stream: 1, [1, 2, 3])),
                .send(WireFrame(.priority, stream: 1, [0, 0, 0, 3, 7])),
                .send(
                    WireFrame(
                        .headers,
                        flags: WireFrame.endHeaders | 0x8 | 0x20,
                        stream: 1,
                        [3, 0, 0, 0, 3, 9] + block + [0, 0, 0]
                    )
                ),
                .send(
                    WireFrame(
                        .data,
                        flags: 0x8 | WireFrame.endStream,
                        stream: 1,
                        [4] + Array("ok".utf8) + [0, 0, 0, 0]
                    )
                ),
            ]
        try await HTTP2Bench.serve(script) { bench in
            try await bench.expectOK()
        }
    }

    @Test(arguments: [1_000, 9_000, 15_000, 60_000])
    func `A large head is sent in several frames`(size: Int) async throws {
        try await HTTP2Bench.serve(.answers(2)) { bench in
            let name = try #require(HTTPField.Name("X-Large"))
            // A tilde takes 13 bits (RFC 7541, appendix B).
            let value = String(repeating: "~", count: size)
            try await bench.expectOK(bench.request(fields: [name: value]))
            let connection = try await bench.server.connection(0)
            #expect(connection.stream(1)["x-large"] == [value])
            #expect(connection.frames(.continuation).count == size * 13 / 8 / 16_384)
            try await bench.expectOK()
        }
    }

    @Test
    func `Large trailers are sent in several frames`() async throws {
        try await HTTP2Bench.serve(.answers(1)) { bench in
            let name = try #require(HTTPField.Name("X-Large"))
            let value = String(repeating: "~", count: 20_000)
            var request = bench.request(.post, body: .produced(10))
            request.trailers = { [name: value] }
            try await bench.expectOK(request)
            #expect(try await bench.server.connection(0).stream(1).trailers.map(\.value) == [value])
        }
    }
}
