import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct UnixSocketTests {
    @Test func `The option --unix-socket sends requests to a socket, not to the host or the proxy of the environment`()
        async throws
    {
        let answer: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nlocal")]
        try await withTemporaryDirectory { folder in
            let path = folder.appendingPathComponent("server.sock").path
            try await withScriptedServer([answer], socket: path) { server in
                let outcome = try await Tool.run(
                    ["get", "http://server.invalid/a", "--unix-socket", path],
                    environment: ["http_proxy": "http://127.0.0.1:1"]
                )
                #expect(outcome.text == "local", "\(outcome.errors)")
                #expect(server.requests.first?["Host"] == ["server.invalid"])
            }
            let none = folder.path + "/none"
            let missing = try await Tool.run("get", "http://server.invalid/", "--unix-socket", none)
            #expect(missing.status == 7)
            #expect(missing.errors.contains("no connection to the Unix socket \(none)"), "\(missing.errors)")
        }
    }

    @Test(arguments: [["--proxy", "http://127.0.0.1:1"], ["--resolve", "a:80:127.0.0.1"]])
    func `The option --unix-socket excludes others that choose the peer`(option: [String]) async throws {
        let outcome = try await Tool.run(["get", "http://a/", "--unix-socket", "/a.sock"] + option)
        #expect(outcome.status == 2)
        #expect(outcome.errors.lowercased().contains("only one of --unix-socket and \(option[0])"), "\(outcome.errors)")
    }

    @Test func `The option --curl prints the socket`() async throws {
        let outcome = try await Tool.run("get", "http://a/", "--unix-socket", "/run/a.sock", "--curl")
        #expect(outcome.text.contains("--unix-socket /run/a.sock"), "\(outcome.text)")
    }
}
