import Foundation
import SallyportGateway
import SallyportJOSE
import TestSupport
import Testing

@testable import SallyportCommand

/// Tests with text from a server that contains terminal control sequences.
@Suite(.concurrencyLimited) struct HostileTextTests {
    private static let hostile = "\u{9B}31m\u{202E}x"
    private static let shown = #"\u{9B}31m\u{202E}x"#

    private static func answer(_ body: String, status: String = "200 OK", _ fields: String...) -> [ScriptStep] {
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields + ["", ""]
        return [.receiveRequest, .send(head.joined(separator: "\r\n") + body)]
    }

    private static func json(_ body: String, status: String = "200 OK") -> [ScriptStep] {
        answer(body, status: status, "Content-Type: application/json")
    }

    @Test func `The option -v escapes a reason phrase and a header value`() async throws {
        let script = Self.answer("a", status: "200 \(Self.hostile)", "X-A: \(Self.hostile)")
        try await withScriptedServer([script]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "-v")
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("< HTTP/1.1 200 \(Self.shown)\n"))
            #expect(outcome.errors.contains("< X-A: \(Self.shown)\n"))
            expectHarmless(outcome.errors)
        }
    }

    @Test(arguments: [
        ["get", "--fail"], ["get", "--fail", "--stages"], ["events"], ["get", "--fail", "--retry", "1"],
    ])
    func `An error escapes the reason phrase`(arguments: [String]) async throws {
        let script = Self.answer("", status: "503 \(Self.hostile)", "Retry-After: 0")
        try await withScriptedServer([script + script]) { server in
            let retry = arguments == ["events"] ? ["--retry", "0"] : []
            let outcome = try await Tool.run(arguments + ["http://\(server.authority)/"] + retry)
            #expect(outcome.status == 22)
            #expect(outcome.errors.contains("the server answered 503 \(Self.shown)"), "\(outcome.errors)")
            expectHarmless(outcome.errors)
        }
    }

    @Test func `Head and body are escaped on a terminal, but unchanged with --raw and in a pipe`()
        async throws
    {
        let body = "a\tb\r\n\(Self.hostile)\u{1B}]0;x\u{7}\n"
        let script = Self.answer(body, "X-A: \(Self.hostile)", "Content-Type: text/plain", "Connection: close")
        try await withScriptedServer([script, script, script]) { server in
            let url = "http://\(server.authority)/"
            let shown = withoutReturns(try await Tool.outputOnTerminal(["get", url, "-i"]))
            #expect(shown.contains("X-A: \(Self.shown)\n"))
            #expect(shown.hasSuffix("\na\tb\n\(Self.shown)\\u{1B}]0;x\\u{7}\n"), "\(shown.debugDescription)")
            let raw = withoutReturns(try await Tool.outputOnTerminal(["get", url, "--raw"]))
            #expect(raw == withoutReturns(body))
            #expect(try await Tool.run("get", url).text == body)
        }
    }

    @Test func `JSON and binary bodies are escaped on a terminal`() async throws {
        let scripts = [
            Self.json(#"{"a":"\#(Self.hostile)"}"#),
            Self.answer(Self.hostile, "Content-Type: application/octet-stream", "Connection: close"),
        ]
        try await withScriptedServer(scripts) { server in
            let url = "http://\(server.authority)/"
            let json = try await Tool.outputOnTerminal(["get", url, "--no-include"])
            #expect(json == "{\n  \"a\": \"\(Self.shown)\"\n}\n")
            let binary = try await Tool.outputOnTerminal(["get", url, "--no-include"])
            #expect(binary == Self.shown + "\n")
        }
    }

    @Test func `Control characters of events are JSON-escaped with --json`() async throws {
        let event = "event: \(Self.hostile)\ndata: \(Self.hostile)\n\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        try await withScriptedServer([[.receiveHead, .send(head + event), .close]]) { server in
            let outcome = try await Tool.run("events", "http://\(server.authority)/", "--json", "--count", "1")
            #expect(outcome.text == #"{"data":"\u009B31m\u202Ex","event":"\u009B31m\u202Ex"}"# + "\n")
        }
    }

    @Test func `A downloaded file has a safe name, and errors are escaped`() async throws {
        let named = Self.answer("abc", "Content-Disposition: attachment; filename*=UTF-8''%C2%9B31m%E2%80%AEx.txt")
        let refused = Self.answer("", status: "404 \(Self.hostile)")
        try await withTemporaryDirectory { folder in
            try await withScriptedServer([named, refused]) { server in
                let arguments = ["download", "http://\(server.authority)/a", "--into", folder.path, "--retry", "0"]
                let outcome = try await Tool.run(arguments)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(try folder.names == ["31mx.txt"])
                let failed = try await Tool.run(arguments)
                #expect(failed.status == 22)
                #expect(failed.errors.contains("the server answered 404 \(Self.shown)"))
                expectHarmless(outcome.errors + failed.errors)
            }
        }
    }

    @Test func `The queue escapes stored text of a server`() async throws {
        try await withTemporaryDirectory { folder in
            let state = ["XDG_STATE_HOME": folder.path]
            try await withScriptedServer([Self.answer("", status: "404 \(Self.hostile)")]) { server in
                let url = "http://\(server.authority)/a"
                _ = try await Tool.run(["queue", "add", url, "--into", folder.path], environment: state)
                let watch = try await Tool.run(["queue", "watch"], environment: state)
                let list = try await Tool.run(["queue", "list"], environment: state)
                let json = try await Tool.run(["queue", "list", "--json"], environment: state)
                for text in [watch.errors, list.text] {
                    #expect(text.contains("the server answered 404 \(Self.shown)"), "\(text)")
                }
                expectHarmless(watch.errors + list.text + json.text)
            }
        }
    }

    @Test func `The command whoami prints claims with control characters JSON-escaped`() async throws {
        try await SignIn.with {
            $0.users[0].claims["name"] = .string(Self.hostile)
        } _: { signIn in
            let login = try await signIn.asAlice()
            let whoami = try await signIn.run("whoami")
            #expect(whoami.text.contains(#""name" : "\u009B31m\u202Ex""#), "\(whoami.text)")
            let token = try await signIn.run("token", "--decode", "--id-token")
            expectHarmless(login.errors + whoami.text + token.text + token.errors)
        }
    }

    @Test func `Texts and prompts of a tree are escaped`() async throws {
        let node = """
            {"authId": "a", "header": "\(Self.hostile)", "callbacks": [
            {"type": "TextOutputCallback", "output": [{"name": "message", "value": "\(Self.hostile)"}]},
            {"type": "NameCallback", "output": [{"name": "prompt", "value": "\(Self.hostile)"}],
            "input": [{"name": "IDToken2", "value": ""}]}]}
            """
        try await withTemporaryDirectory { home in
            try await withScriptedServer([Self.json(node)]) { server in
                let arguments = ["login", "--journey", "Login", "--server", "http://\(server.authority)"]
                let outcome = try await Tool.run(arguments, environment: ["SALLYPORT_HOME": home.path])
                #expect(outcome.status == 2)
                #expect(outcome.errors.hasPrefix("\(Self.shown)\n\(Self.shown)\nsallyport: "), "\(outcome.errors)")
                #expect(outcome.errors.contains("there is no answer to \"\(Self.shown)\""))
                expectHarmless(outcome.errors)
            }
        }
    }

    @Test func `Claims are printed with JSON escapes, and names with visible escapes`() throws {
        let text = try TokenText.json(JsonValue.object(["username": .string(Self.hostile)]))
        #expect(text == "{\n  \"username\" : \"\\u009B31m\\u202Ex\"\n}")
        #expect(TokenText.userName(["name": .string(Self.hostile)]) == Self.shown)
    }

    @Test func `The verification URL and user code of a device login are escaped`() {
        let url = "https://a.example/"
        let text = LoginFlow.instructions(
            address: url + Self.hostile,
            code: Self.hostile,
            complete: "\(url)?code=\(Self.hostile)"
        )
        #expect(
            text == """
                On any device, open \(url)\(Self.shown) and enter the code \(Self.shown).
                Or open \(url)?code=\(Self.shown), and compare the code.
                Waiting …
                """
        )
    }
}

extension HostileTextTests {
    /// Returns text without the carriage returns that a terminal adds.
    private func withoutReturns(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))
    }

    /// Expects text without control characters other than line feeds and tabs.
    private func expectHarmless(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let harmful = text.unicodeScalars.filter { scalar in
            let isControl = scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
            return isControl || [0x61C, 0x200E, 0x200F].contains(scalar.value) || 0x202A...0x202E ~= scalar.value
                || 0x2066...0x2069 ~= scalar.value
        }
        #expect(harmful.isEmpty, "\(text.debugDescription)", sourceLocation: sourceLocation)
    }
}
