import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ResourceCommandTests {
    @Test func `The option --fail ends with the explanation of the server, and --include writes the head before`()
        async throws
    {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let call = ["resource", "get", "/accounts", "--as", "device", "--fail"]
            let failed = try await signIn.run(call)
            #expect(failed.status == 22 && failed.output.isEmpty)
            let explanation = #"status 403 (insufficient_scope, "The access token does not have the scope accounts.")"#
            #expect(failed.errors.contains(explanation), "\(failed.errors)")
            let included = try await signIn.run(call + ["--include"])
            #expect(included.status == 22)
            #expect(included.text.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(included.text)")
            #expect(included.text.hasSuffix("\r\n\r\n"), "\(included.text)")
            let head = try await signIn.run("resource", "head", "/accounts", "--as", "device", "--fail")
            #expect(head.status == 22)
            #expect(head.text.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(head.text)")
        }
    }

    @Test func `The option -v shows requests and responses on standard error, with secrets masked`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let call = ["resource", "get", "/assets", "--as", "device", "-v"]
            let outcome = try await signIn.run(call)
            #expect(outcome.status == 0)
            for line in [
                "> GET /resources/assets\n", "> Host: 127.0.0.1:", "> Authorization: ***",
                "> User-Agent: com.example.app/1.0 ", "* new connection, 127.0.0.1:", "TLSv1.3", "first byte ",
                "< HTTP/1.1 200 OK\n",
                "* body: ",
            ] {
                #expect(outcome.errors.contains(line), "\(line) in \(outcome.errors)")
            }
            #expect(!outcome.errors.contains("eyJ"), "\(outcome.errors)")
            let authenticated = try await signIn.run(call + ["--scope", "assets api"])
            #expect(authenticated.errors.contains("> POST /token\n"), "\(authenticated.errors)")
        }
    }

    @Test func `JSON is indented on a terminal, unless with --raw`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            let call = [
                "resource", "get", "/nothing", "--as", "none", "--config", file, "--cacert", signIn.authority ?? "",
            ]
            let json = #"{"error":"not_found","error_description":"There is no resource at this path."}"#
            let raw = try await Tool.outputOnTerminal(call + ["--raw"], environment: signIn.environment())
            #expect(raw == json)
            let pretty = try await Tool.outputOnTerminal(call, environment: signIn.environment())
            #expect(pretty.contains("{\n  \"error\": \"not_found\""), "\(pretty)")
        }
    }

    @Test func `A failure of the implicit authentication names the user`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            try await signIn.registerDevice(file)
            let call = ["resource", "get", "/greeting", "--as", "implicit", "--scope"]
            let none = try await signIn.run(call + ["greeting", "--subject", "bob"])
            #expect(none.status == 67)
            #expect(none.errors.contains("the user bob is not registered on this device: sallyport"), "\(none.errors)")
            try await signIn.registerAlice()
            let other = try await signIn.run(call + ["greeting", "--subject", "bob"])
            #expect(other.status == 67)
            #expect(other.errors.contains("the user bob is not registered"), "\(other.errors)")
            #expect(other.errors.contains("which has the users alice: select one with --subject"), "\(other.errors)")
            let refused = try await signIn.run(call + ["nonsense"])
            #expect(refused.status == 67)
            #expect(refused.errors.contains("as the user alice: POST "), "\(refused.errors)")
            #expect(refused.errors.contains("invalid_scope"), "\(refused.errors)")
        }
    }

    @Test func `A header in another spelling replaces the type of the body, and further values are joined`()
        async throws
    {
        try await SignIn.withDeviceSettings { signIn, file in
            let outcome = try await signIn.run([
                "resource", "post", "/public", "--as", "none", "--config", file, "--cacert", signIn.authority ?? "",
                "--body", "{}", "-H", "content-type: application/vnd.demo+json", "-H", "X-Tag: a", "-H", "x-tag: b",
            ])
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.echo.headers["content-type"] == ["application/vnd.demo+json"])
            #expect(try outcome.echo.headers["x-tag"] == ["a, b"])
            let both = try await signIn.run([
                "resource", "post", "/public", "--as", "none", "--config", file, "--cacert", signIn.authority ?? "",
                "--body", "{}", "--content-type", "text/plain", "-H", "content-type: a/b",
            ])
            #expect(both.status == 2)
            #expect(both.errors.contains("--content-type"), "\(both.errors)")
        }
    }

    @Test func `Parameters of one name are an array`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            let settings = ["--as", "none", "--config", file, "--cacert", signIn.authority ?? ""]
            let parameters = ["--parameter", "tag=a", "--parameter", "page=2", "--parameter", "tag=b"]
            let posted = try await signIn.run(["resource", "post", "/public"] + settings + parameters)
            #expect(try posted.echo.body == #"{"page":"2","tag":["a","b"]}"#, "\(posted.errors)")
            let queried = try await signIn.run(["resource", "get", "/public"] + settings + parameters)
            let query = try queried.echo.query.map { "\($0.name)=\($0.value)" }
            #expect(query == ["page=2", "tag=a", "tag=b"], "\(queried.errors)")
        }
    }

    @Test func `A user name in a URL is refused with advice that this command can follow`() async throws {
        try await SignIn.withDeviceSettings { signIn, file in
            let url = signIn.base.replacing("https://", with: "https://u:canary@") + "/resources/public"
            let refused = try await signIn.run([
                "resource", "get", url, "--as", "none", "--config", file, "--cacert", signIn.authority ?? "",
            ])
            #expect(refused.status == 2)
            #expect(refused.errors.contains("user name or password"), "\(refused.errors)")
            #expect(!refused.errors.contains("--user") && !refused.errors.contains("canary"), "\(refused.errors)")
        }
    }
}
