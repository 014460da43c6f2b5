import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import SallyportGateway

private struct Echo: Decodable {
    let method: String
    let target: String
    let query: [NamedValue]
    let headers: [String: [String]]
    let body: String
    let bodyEncoding: String
    let bodyLength: Int
}

@Suite(.concurrencyLimited) struct EchoRoutesTests {
    @Test(
        arguments: [
            HTTPRequest.Method.get, .post, .put, .patch, .delete, .options, .trace, HTTPRequest.Method("PROPFIND")!,
            HTTPRequest.Method("M-SEARCH")!,
        ],
        ["/echo", "/echo/", "/echo/a/b%20c"]
    )
    func `The echo route describes any method and any path below it`(method: HTTPRequest.Method, path: String)
        async throws
    {
        try await withRouter { client in
            let echo = try await client.execute(uri: path, method: method).decode(Echo.self)
            #expect(echo.method == method.rawValue)
            #expect(echo.target == path)
        }
    }

    @Test func `Query items are listed in order, decoded once and with plus signs unchanged`() async throws {
        try await withRouter { client in
            let target = "/echo?a=1&b=x%20y%252B&a=2+3&flag&=empty&c=d%3De=f&broken=%zz&%C3%BC=%F0%9F%98%80"
            let echo = try await client.execute(uri: target, method: .get).decode(Echo.self)
            #expect(echo.target == target)
            #expect(
                echo.query == [
                    NamedValue(name: "a", value: "1"), NamedValue(name: "b", value: "x y%2B"),
                    NamedValue(name: "a", value: "2+3"), NamedValue(name: "flag", value: ""),
                    NamedValue(name: "", value: "empty"), NamedValue(name: "c", value: "d=e=f"),
                    NamedValue(name: "broken", value: "%zz"), NamedValue(name: "ü", value: "😀"),
                ]
            )
        }
    }

    @Test func `All values of a repeated header field are listed under its lowercase name`() async throws {
        try await withRouter { client in
            var headers = HTTPFields()
            headers.append(HTTPField(name: .accept, value: "text/plain"))
            headers.append(HTTPField(name: .accept, value: "*/*"))
            let echo = try await client.execute(uri: "/echo", method: .get, headers: headers).decode(Echo.self)
            #expect(echo.headers["accept"] == ["text/plain", "*/*"])
        }
    }

    @Test func `A text body is returned as text with its length in bytes`() async throws {
        try await withRouter { client in
            let body = ByteBuffer(string: "grüße\u{0}\r\n\"")
            let echo = try await client.execute(uri: "/echo", method: .post, body: body).decode(Echo.self)
            #expect(echo.body == "grüße\u{0}\r\n\"")
            #expect(echo.bodyEncoding == "utf-8")
            #expect(echo.bodyLength == 11)
        }
    }

    @Test func `A body that is not text is returned as base64`() async throws {
        try await withRouter { client in
            let body = ByteBuffer(bytes: [0xFF, 0x00, 0xC3])
            let echo = try await client.execute(uri: "/echo", method: .put, body: body).decode(Echo.self)
            #expect(echo.body == "/wDD")
            #expect(echo.bodyEncoding == "base64")
            #expect(echo.bodyLength == 3)
        }
    }

    @Test func `A body of more than 16 MiB is refused with 413`() async throws {
        try await withRouter { client in
            let body = ByteBuffer(repeating: 0x61, count: 16 * 1024 * 1024 + 1)
            let response = try await client.execute(uri: "/echo", method: .post, body: body)
            #expect(response.status == .contentTooLarge)
            #expect(try response.decode(ErrorAnswer.self).status == 413)
        }
    }

    @Test func `The response is indented JSON with sorted keys, and ends with a line break`() async throws {
        try await withRouter { client in
            let response = try await client.execute(uri: "/echo", method: .get)
            let keys = ["body", "bodyEncoding", "bodyLength", "headers", "method", "query", "target"]
            let positions = keys.compactMap { response.text.range(of: "\n  \"\($0)\"")?.lowerBound }
            #expect(positions.count == keys.count)
            #expect(positions == positions.sorted())
            #expect(response.text.hasSuffix("\n}\n"))
            #expect(response.headers[.contentLength] == "\(response.body.readableBytes)")
            #expect(response.headers[.contentType] == "application/json; charset=utf-8")
        }
    }
}
