import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ConnectionTests {
    #if os(Linux)
    private static let transports = ["engine"]
    #else
    private static let transports = ["engine", "urlsession"]
    #endif

    @Test func `Redirects are followed only with --follow, up to its limit`() async throws {
        try await withGateway { base in
            let refused = try await Tool.run("get", base + "/redirect/2", "-i")
            #expect(refused.status == 0)
            #expect(refused.text.hasPrefix("HTTP/1.1 302 Found\r\n"))
            let followed = try await Tool.run("get", base + "/redirect/2", "--follow", "2")
            #expect(try followed.echo.target == "/echo")
            #expect(try await Tool.run("get", base + "/redirect/3", "--follow", "2").status == 47)
            #expect(try await Tool.run("get", base + "/redirect-loop", "--follow", "50").status == 47)
        }
    }

    @Test func `A redirect to another scheme than http is an error with -L, after the response is written`()
        async throws
    {
        let response = "HTTP/1.1 302 Found\r\nLocation: ftp://x/y?code=s3cret\r\nContent-Length: 5\r\n\r\nmoved"
        try await withScriptedServer([[.receiveHead, .send(response)], [.receiveHead, .send(response)]]) { server in
            let url = "http://\(server.authority)/"
            let followed = try await Tool.run("get", url, "-L")
            #expect(followed.status == 1)
            #expect(followed.text == "moved")
            #expect(followed.errors.contains("the redirect to a URL with the scheme ftp was not followed"))
            #expect(!followed.errors.contains("s3cret"))
            #expect(try await Tool.run("get", url).status == 0)
        }
    }

    @Test(arguments: [WireFrame.reset(1, 13), WireFrame.goAway(last: 0, 13)])
    func `A server that requires HTTP/1.1 after it has selected HTTP/2 receives the request again`(
        refusal: WireFrame
    ) async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity(), applicationProtocols: ["h2", "http/1.1"])
        let http2: Script = .receivingHTTP2Request() + [.sendBytes(refusal.bytes)]
        let http1: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nby HTTP/1.1.\n")]
        try await withTemporaryDirectory { folder in
            let trusted = try folder.file("ca.pem", authority.certificatePEM)
            try await withScriptedServer([http2, http1], tls: tls) { server in
                let outcome = try await Tool.run("get", "https://\(server.authority)/", "--cacert", trusted)
                #expect(outcome.status == 0, "\(outcome.errors)")
                #expect(outcome.text == "by HTTP/1.1.\n")
            }
            try await withScriptedServer([http2, http1], tls: tls) { server in
                let call = ["get", "https://\(server.authority)/", "--cacert", trusted, "--http2-prior-knowledge"]
                let outcome = try await Tool.run(call)
                #expect(outcome.status != 0)
                #expect(outcome.errors.hasSuffix("; use --http1.1\n"), "\(outcome.errors)")
            }
        }
    }

    @Test func `A body that nobody needs is not awaited`() async throws {
        let endless = "Transfer-Encoding: chunked\r\n\r\n5\r\nstart\r\n"
        let moved: Script = [.receiveRequest, .send("HTTP/1.1 302 Found\r\nLocation: /new\r\n\(endless)"), .stall]
        let ok: Script = [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]
        let refused: Script = [.receiveRequest, .send("HTTP/1.1 403 Forbidden\r\n\(endless)"), .stall]
        try await withTemporaryDirectory { folder in
            // The timeout of a command that waits for the body would end it with 28.
            let calls: [(options: [String], scripts: [Script], status: Int32)] = [
                (["get", "-L"], [moved, ok], 0), (["download", "-L", "--into", folder.path], [moved, ok], 0),
                (["get", "--fail"], [refused], 22),
            ]
            for call in calls {
                try await withScriptedServer(call.scripts) { server in
                    let outcome = try await Tool.run(call.options + ["http://\(server.authority)/"])
                    #expect(outcome.status == call.status, "\(call.options): \(outcome.errors)")
                    #expect(outcome.text == (call.options == ["get", "-L"] ? "ok" : ""))
                }
            }
            #expect(try Data(contentsOf: folder.appendingPathComponent("new")) == Data("ok".utf8))
        }
    }

    @Test func `The option --resolve sets the address for a host and port without changing the Host field`()
        async throws
    {
        try await withGateway(serving: ["api.example.com"]) { base in
            let port = base.split(separator: ":").last ?? ""
            let outcome = try await Tool.run(
                "get",
                "http://api.example.com:\(port)/echo",
                "--resolve",
                "api.example.com:\(port):127.0.0.1"
            )
            #expect(try outcome.echo.headers["host"] == ["api.example.com:\(port)"])
        }
    }

    @Test func `Compression is requested and decoded only with --compressed`()
        async throws
    {
        // "hello" as a zlib stream with one stored block.
        let deflated: [UInt8] = [
            0x78, 0x01, 0x01, 0x05, 0x00, 0xFA, 0xFF, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x06, 0x2C, 0x02, 0x15,
        ]
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: \(deflated.count)\r\n\r\n"
        try await withScriptedServer([[.receiveHead, .send(head), .sendBytes(deflated)]]) { server in
            let url = "http://\(server.authority)/"
            let decoded = try await Tool.run("get", url, "--compressed")
            #expect(decoded.text == "hello")
            let raw = try await Tool.run("get", url)
            #expect(Array(raw.output) == deflated)
            #expect(server.requests.map { $0["Accept-Encoding"] } == [["gzip, deflate"], []])
        }
    }

    @Test func `An unsupported content coding is an error with --compressed and is printed unchanged without it`()
        async throws
    {
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\nContent-Length: 5\r\n\r\nbytes"
        try await withScriptedServer([[.receiveHead, .send(answer)]]) { server in
            let url = "http://\(server.authority)/"
            let outcome = try await Tool.run("get", url, "--compressed")
            #expect(outcome.status == 61)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("cannot be decoded from compress"), "\(outcome.errors)")
            let raw = try await Tool.run("get", url)
            #expect(raw.status == 0 && raw.text == "bytes")
        }
    }

    @Test(arguments: ["UTF-8", "none", "aws-chunked", "binary"])
    func `A body with a label that is not a content coding is printed, also with --compressed`(label: String)
        async throws
    {
        let answer = "HTTP/1.1 200 OK\r\nContent-Encoding: \(label)\r\nContent-Length: 8\r\n\r\n{\"a\":1}\n"
        try await withScriptedServer([[.receiveHead, .send(answer)]]) { server in
            let outcome = try await Tool.run("get", "http://\(server.authority)/", "--compressed")
            #expect(outcome.status == 0)
            #expect(outcome.text == "{\"a\":1}\n")
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test(arguments: transports)
    func `Each available transport can be selected by name`(name: String) async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("post", base + "/echo", "--transport", name, "--body", "sent")
            #expect(outcome.status == 0)
            #expect(try outcome.echo.body == "sent")
        }
    }

    @Test func `The option --resolve accepts IPv4 and IPv6 addresses, with or without brackets`() async throws {
        for addresses in ["[::1],127.0.0.1", "::1,127.0.0.1"] {
            let resolve = "example.com:80:\(addresses)"
            let outcome = try await Tool.run("get", "http://example.com/", "--resolve", resolve, "--curl")
            #expect(outcome.text.contains("--resolve example.com:80:::1,127.0.0.1"))
        }
    }

    @Test func `A call takes no longer than --timeout`() async throws {
        try await withGateway { base in
            let late = try await Tool.run("get", base + "/delay/30000", "--timeout", "0.2")
            #expect(late.status == 28)
            // On a busy machine, the limit of the command may come before that of the call.
            #expect(late.errors.contains(/took longer than its limit|time limit of --timeout/))
            let slow = try await Tool.run("get", base + "/drip?bytes=1000&interval=20", "--timeout", "0.3")
            #expect(slow.status == 28)
            let ready = try await Tool.run("get", base + "/echo", "--timeout", "30", "--connect-timeout", "5")
            #expect(ready.status == 0)
        }
    }
}
