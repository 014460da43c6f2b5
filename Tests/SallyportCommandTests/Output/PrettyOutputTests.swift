import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PrettyOutputTests {
    private static let json = #"{"b":1.10,"a":[]}"#
    private static let pretty = "{\n  \"b\": 1.10,\n  \"a\": []\n}\n"

    @Test(arguments: ["application/json", "application/problem+json; charset=utf-8"])
    func `JSON is indented on a terminal`(type: String) async throws {
        let shown = try await onTerminal(Self.json, type)
        #expect(shown == Self.pretty)
    }

    @Test(
        arguments: [
            (json, "text/plain"), ("{\"a\":1,}", "application/json"), ("1\n2\n", "application/json"),
            ("", "application/json"),
        ]
    )
    func `A body that is not JSON by its type or bytes is unchanged`(body: String, type: String) async throws {
        let shown = try await onTerminal(body, type)
        #expect(shown == body)
    }

    @Test func `The option --raw leaves JSON unchanged, and --include writes the head before it`() async throws {
        let raw = try await onTerminal(Self.json, "application/json", "--raw")
        #expect(raw == Self.json)
        let text = try await onTerminal(Self.json, "application/json", "--include").replacing("\r\n", with: "\n")
        #expect(text.hasPrefix("HTTP/1.1 200 OK\n"))
        #expect(text.hasSuffix("\n\n" + Self.pretty))
    }

    @Test func `Very long JSON is not indented`() async throws {
        let long = "[" + Array(repeating: "1234567", count: 140_000).joined(separator: ",") + "]"
        let shown = try await onTerminal(long, "application/json")
        #expect(shown == long)
    }

    @Test func `Incomplete JSON is written unchanged`() async throws {
        let shown = try await onTerminal("[1,2", "application/json", length: 10)
        #expect(shown == "[1,2")
    }

    @Test(arguments: ["post", "put", "patch", "delete", "options"])
    func `Each verb indents JSON`(verb: String) async throws {
        let shown = try await onTerminal(Self.json, "application/json", verb: verb)
        #expect(shown == Self.pretty)
    }

    @Test func `A pipe receives the bytes unchanged`() async throws {
        try await withScriptedServer([script(Self.json, "application/json", nil)]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/")
            #expect(outcome.text == Self.json)
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
        length: Int? = nil
    ) async throws -> String {
        try await withScriptedServer([script(body, type, length)]) { server in
            try await Tool.outputOnTerminal([verb, "http://\(server.authority)/"] + options)
        }
    }
}
