import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ExitStatusTests {
    @Test(
        arguments: [
            ("a reply that is not HTTP", [.receiveHead, .send("SSH-2.0-OpenSSH_9.2\r\n\r\n")], 8),
            ("a body cut short", [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close], 18),
            ("no answer", [.receiveHead, .close], 52),
            ("a broken connection", [.receiveHead, .reset], 56),
            (
                "a wrong encoding",
                [.receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")], 61
            ),
            (
                "a head that is too large",
                [.receiveHead, .send("HTTP/1.1 200 OK\r\n"), .repeating([.send("X-Number: 1\r\n")], times: 10_000)], 63
            ),
        ] as [(String, Script, Int32)]
    )
    func `Each failure of a server has the exit status of curl`(_ failure: String, script: Script, status: Int32)
        async throws
    {
        try await withScriptedServer([script]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "--compressed")
            #expect(outcome.status == status, "\(outcome.errors)")
            #expect(outcome.errors.hasPrefix("sallyport: GET http://\(server.authority)/"))
        }
    }

    @Test func `A server without HTTP/2 ends with 8, and the error states it`() async throws {
        let preface = ScriptStep.receive(until: "SM\r\n\r\n")
        try await withScriptedServer([[preface, .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .stall]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "--http2-prior-knowledge")
            #expect(outcome.status == 8)
            #expect(outcome.errors.contains("is not HTTP/2; if the server supports only HTTP/1.1"), "\(outcome.errors)")
        }
    }

    @Test func `A server without TLS ends with 35`() async throws {
        let clientHello = ScriptStep.receive(until: "\u{16}\u{3}")
        try await withScriptedServer([[clientHello, .send("HTTP/1.1 400 Bad Request\r\n\r\n")]]) { server in
            let outcome = try await Tool.run("get", "https://\(server.authority)/")
            #expect(outcome.status == 35)
        }
    }

    @Test func `A host that cannot be resolved ends with 6`() async throws {
        let host = String(repeating: "a", count: 64) + ".example"
        let outcome = try await Tool.run("get", "http://\(host)/")
        #expect(outcome.status == 6)
        #expect(outcome.errors.contains(host))
    }

    @Test func `A port without a listener ends with 7`() async throws {
        try await withSilentPort { port in
            let outcome = try await Tool.run("get", "http://127.0.0.1:\(port)/")
            #expect(outcome.status == 7)
            #expect(outcome.errors.contains("127.0.0.1 on port \(port)"))
        }
    }
}
