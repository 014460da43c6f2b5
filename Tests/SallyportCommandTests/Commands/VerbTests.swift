import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct VerbTests {
    @Test(arguments: ["get", "post", "put", "patch", "delete", "options"])
    func `Each verb sends its method`(verb: String) async throws {
        try await withGateway { base in
            let outcome = try await Tool.run(verb, base + "/echo")
            #expect(outcome.status == 0)
            #expect(try outcome.echo.method == verb.uppercased())
            #expect(outcome.errors.isEmpty)
        }
    }

    @Test func `The command head prints only the head of the response`() async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("head", base + "/echo")
            #expect(outcome.status == 0)
            #expect(outcome.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(outcome.text.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `A status of 404 is a success without --fail`() async throws {
        try await withGateway { base in
            let outcome = try await Tool.run("get", base + "/status/404")
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("404"))
        }
    }

    @Test func `A mebibyte of random bytes is sent and received unchanged`() async throws {
        let bytes = randomBytes(1 << 20)
        try await withTemporaryDirectory { folder in
            let path = try folder.file("random.bin", bytes)
            try await withGateway { base in
                let echo = try await Tool.run("post", base + "/echo", "--body", "@" + path).echo
                #expect(echo.bodyEncoding == "base64")
                #expect(Data(base64Encoded: echo.body) == bytes)
            }
            try await withScriptedServer([
                [
                    .receiveHead, .send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n"),
                    .sendBytes(Array(bytes)),
                ]
            ]) { server in
                let outcome = try await Tool.run("get", "http://\(server.authority)/")
                #expect(outcome.output == bytes)
            }
        }
    }
}
