import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PrettyOutputTests {
    private static let json = #"{"b":1.10,"a":[]}"#
    private static let pretty = "{\n  \"b\": 1.10,\n  \"a\": []\n}\n"

    @Test(arguments: ["application/json", "application/problem+json; charset=utf-8"])
    func `A terminal shows the head and indented JSON`(type: String) async throws {
        let shown = try await onTerminal(Self.json, type)
        #expect(
            shown == "HTTP/1.1 200 OK\nContent-Type: \(type)\nContent-Length: 17\nConnection: close\n\n" + Self.pretty
        )
    }

    @Test func `A terminal shows XML indented`() async throws {
        let shown = try await onTerminal("<a><b>c</b><d/></a>", "application/atom+xml", "--no-include")
        #expect(shown == "<a>\n  <b>c</b>\n  <d/>\n</a>\n")
    }

    @Test(
        arguments: [
            (json, "text/plain"), ("{\"a\":1,}", "application/json"), ("1\n2\n", "application/json"),
            ("", "application/json"), ("<a>", "text/xml"),
        ]
    )
    func `A body that is not JSON or XML by its type or bytes is unchanged, and ends with a line break`(
        body: String,
        type: String
    ) async throws {
        let shown = try await onTerminal(body, type, "--no-include")
        #expect(shown == (body.isEmpty || body.hasSuffix("\n") ? body : body + "\n"))
    }

    @Test func `The option --raw writes only the unchanged body, unless --include adds the head`() async throws {
        let raw = try await onTerminal(Self.json, "application/json", "--raw")
        #expect(raw == Self.json)
        let text = try await onTerminal(Self.json, "application/json", "--raw", "--include").replacing(
            "\r\n",
            with: "\n"
        )
        #expect(text.hasPrefix("HTTP/1.1 200 OK\n"))
        #expect(text.hasSuffix("\n\n" + Self.json))
    }

    @Test func `Very long JSON is not indented`() async throws {
        let long = "[" + Array(repeating: "1234567", count: 140_000).joined(separator: ",") + "]"
        let shown = try await onTerminal(long, "application/json", "--no-include")
        #expect(shown == long + "\n")
    }

    @Test func `Incomplete JSON is written unchanged`() async throws {
        let shown = try await onTerminal("[1,2", "application/json", "--no-include", length: 10)
        #expect(shown == "[1,2\n")
    }

    @Test(arguments: ["post", "put", "patch", "delete", "options"])
    func `Each verb indents JSON`(verb: String) async throws {
        let shown = try await onTerminal(Self.json, "application/json", "--no-include", verb: verb)
        #expect(shown == Self.pretty)
    }

    @Test func `A pipe receives the bytes unchanged`() async throws {
        try await withScriptedServer([script(Self.json, "application/json", nil)]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/")
            #expect(outcome.text == Self.json)
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func `Head and JSON are colored on a terminal, but not with NO_COLOR, TERM=dumb or --color never`()
        async throws
    {
        let colored = try await onTerminal(Self.json, "application/json", color: ["NO_COLOR": "", "TERM": "xterm"])
        #expect(colored.hasPrefix("\u{1B}[32mHTTP/1.1 200 OK\u{1B}[0m\n"), "\(colored.debugDescription)")
        #expect(colored.contains("\u{1B}[34m\"b\"\u{1B}[0m: \u{1B}[36m1.10\u{1B}[0m"), "\(colored.debugDescription)")
        for color in [["NO_COLOR": "1", "TERM": "xterm"], ["NO_COLOR": "", "TERM": "dumb"]] {
            let plain = try await onTerminal(Self.json, "application/json", color: color)
            #expect(!plain.contains("\u{1B}"))
        }
        let never = try await onTerminal(
            Self.json,
            "application/json",
            "--color",
            "never",
            color: ["NO_COLOR": "", "TERM": "xterm"]
        )
        #expect(!never.contains("\u{1B}"))
    }

    @Test func `JSON on a terminal is decoded even if the coding was not requested, and not into a pipe`() async throws
    {
        let body = try #require(Data(base64Encoded: "H4sIAAAAAAACA6tWSlKyMtQzNNBRSlSyio6tBQCRSTDREQAAAA=="))
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
        let answer: Script = [
            .receiveHead, .send(head + "Content-Length: \(body.count)\r\n\r\n"), .sendBytes(Array(body)),
        ]
        try await withScriptedServer([answer]) { server in
            let url = "http://\(server.authority)/"
            let shown = try await Tool.outputOnTerminal(["get", url, "--no-include"])
            #expect(shown == Self.pretty)
            #expect(try await Tool.run("get", url).output == body)
            #expect(try await Tool.run("get", url, "--color", "always", "--raw").output == body)
            #expect(server.requests.allSatisfy { $0["Accept-Encoding"].isEmpty })
        }
    }

    @Test func `With --color always, a pipe receives colored and indented JSON without the head`() async throws {
        try await withScriptedServer([script(Self.json, "application/json", nil)]) { server in
            let arguments = ["get", "http://\(server.authority)/", "--color", "always"]
            let outcome = try await Tool.run(arguments, environment: ["NO_COLOR": "1"])
            let name = "\u{1B}[34m\"b\"\u{1B}[0m"
            #expect(outcome.text.hasPrefix("{\n  \(name): "), "\(outcome.text.debugDescription)")
        }
    }

    @Test func `Binary data is not shown on a terminal, and standard error explains how to save it`() async throws {
        let image = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 12\r\nConnection: close\r\n\r\n"
        let answer: [ScriptStep] = [.receiveHead, .sendBytes(Array(head.utf8) + image), .close]
        try await withScriptedServer([answer, answer, answer]) { server in
            let url = "http://\(server.authority)/"
            let shown = try await Tool.outputOnTerminal(["get", url, "--no-include"])
            #expect(shown.isEmpty, "\(shown.debugDescription)")
            let both = try await Tool.typing([], ["get", url])
            #expect(both.status == 0)
            #expect(
                both.screen.hasSuffix(
                    "\n\nsallyport: the body is binary (image/png, 12 B) and is not shown; save it with --output FILE, "
                        + "or write it with --raw\n"
                ),
                "\(both.screen.debugDescription)"
            )
            #expect(try await Tool.run("get", url).output == image)
        }
    }

    @Test func `An empty response prints its status on a terminal`() async throws {
        let answer: [ScriptStep] = [
            .receiveHead, .send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), .close,
        ]
        try await withScriptedServer([answer, answer, answer]) { server in
            let url = "http://\(server.authority)/"
            #expect(try await Tool.outputOnTerminal(["delete", url]).hasPrefix("HTTP/1.1 204 No Content\n"))
            let status = try await Tool.errorsOnTerminal(["delete", url], environment: [:])
            #expect(status == "HTTP/1.1 204 No Content\n")
            #expect(try await Tool.run("delete", url).errors.isEmpty)
        }
    }

    private func script(_ body: String, _ type: String, _ length: Int?) -> [ScriptStep] {
        let length = length ?? body.utf8.count
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\nConnection: close\r\n\r\n"
        return [.receiveHead, .send(head + body), .close]
    }

    private func onTerminal(
        _ body: String,
        _ type: String,
        _ options: String...,
        verb: String = "get",
        length: Int? = nil,
        color: [String: String] = [:]
    ) async throws -> String {
        try await withScriptedServer([script(body, type, length)]) { server in
            try await Tool.outputOnTerminal([verb, "http://\(server.authority)/"] + options, environment: color)
        }
    }
}
