import Foundation
import TestSupport
import Testing

@testable import SallyportCommand

@Suite(.concurrencyLimited) struct ProcessArgumentsTests {
    @Test(
        arguments: [
            ("ada:s3", "-u", "ada:**"), ("ada:s3", "--user", "ada:**"), ("--user=ada:s3", nil, "--user=ada:**"),
            ("X-A: s3", "-H", "X-A:***"), ("sid=s3", "--cookie", "sid=**"),
            ("sid=s3", "-b", "sid=**"), ("-bsid=s3", nil, "-bsid=**"), ("-uada:s3", nil, "-uada:**"),
            ("-HX-A: s3", nil, "-HX-A:***"), ("a=s3", "--data-urlencode", "a=**"),
            ("http://ä:s3@h/a@b", nil, "http://*****@h/a@b"),
            ("http://a:b@p:1", "--proxy", "http://***@p:1"), ("ada:s3", "--body", "******"),
            ("http://h/", nil, "http://h/"), ("ada:s3", "-iu", "ada:**"), ("X-A: s3", "-ivH", "X-A:***"),
            ("-iu=ada:s3", nil, "-iu=ada:**"), ("ada:s3", "-ui", "ada:s3"), ("ada:s3", "--u", "ada:s3"),
            ("ada:s3", "-", "ada:s3"), ("pin=s3", "--answer", "pin=**"), ("--answer=pin=s3", nil, "--answer=pin=**"),
            ("http://h/r?a=s3", "--resume", "http://h/r?****"), ("otpauth://totp/a?b=s3", nil, "otpauth://***********"),
            ("a=s3", "-F", "a=**"), ("a=s3", "--form", "a=**"), ("a=s3", "--field", "a=**"), ("-Fa=s3", nil, "-Fa=**"),
            ("{\"a\":1}", "--json", "*******"), ("--query=a=s3", nil, "--query=a=**"),
            ("http://h/p?token=s3", nil, "http://h/p?********"), ("http://a:s3@h?x#y", nil, "http://****@h?***"),
            ("localhost:80/a?t=s3", nil, "localhost:80/a?****"), ("h/a#t=s3", nil, "h/a#****"),
            ("what?s3", nil, "what?s3"),
            ("http://a:s3@h/?t=1", "-e", "http://****@h/?***"), ("-ehttp://h/?t=1", nil, "-ehttp://h/?***"),
            ("--referer=http://h/?t=1", nil, "--referer=http://h/?***"), ("@file", "--body", "@file"),
            ("--body={\"a\":1}", nil, "--body=*******"), ("{\"a\":\"=\"}", "-d", "*********"),
            ("a b=s3", "-d", "******"),
            ("-d{}", nil, "-d**"), ("-iXPOST", nil, "-iXPOST"), ("-ivHX-A: s3", nil, "-ivHX-A:***"),
            ("Authorization s3", "-H", "****************"), ("@file", "-H", "@file"),
            ("[a]=s3", "--data-raw", "[a]=**"),
            ("a:s3@p:1", "--proxy", "****@p:1"), ("c.pem:s3", "--cert", "c.pem:**"), ("---x", "--data-raw", "****"),
            ("http://a:s3@h/", "-ob", "http://****@h/"), ("-uada:s3", "-ojob", "-uada:**"),
            ("--user=ada:s3", "-ojob", "--user=******"),
            ("PUSHAUTH://s3", nil, "PUSHAUTH://**"), ("mfauth://s3", "enrol", "mfauth://**"),
        ] as [(String, String?, String)]
    )
    func `Secrets in arguments are found`(argument: String, option: String?, hidden: String) {
        var bytes = Array(argument.utf8)
        for range in ProcessArguments.secrets(in: argument, after: option) {
            for index in range { bytes[index] = UInt8(ascii: "*") }
        }
        #expect(String(decoding: bytes, as: UTF8.self) == hidden)
    }

    #if os(Linux)
    @Test func `The process list does not show the secrets of a running command`() async throws {
        try await withScriptedServer([[.receiveHead, .stall]]) { server in
            let url = "http://ada:s3cret@\(server.authority)/"
            let tool = try Tool.start(["get", url, "--cookie", "sid=s3cret", "-H", "X-A: s3cret"])
            try await server.connection(0).waitUntilReceived("GET / ")
            let received = server.connections.first?.receivedText ?? ""
            #expect(received.contains("sid=s3cret") && received.contains("X-A: s3cret"))
            let line = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(tool.identifier)/cmdline"))
            let shown = String(decoding: line, as: UTF8.self)
            #expect(shown.contains("--cookie\0sid=******\0"), "\(shown)")
            #expect(!shown.contains("s3cret"))
            tool.interrupt()
            _ = try await tool.outcome()
        }
    }
    #endif
}
