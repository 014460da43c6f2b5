import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ServeTests {
    @Test func `The command serve prints its URL and commands that call it, and Control-C ends it with 0`() async throws
    {
        try await withTemporaryDirectory { folder in
            let authority = folder.appendingPathComponent("ca.pem").path
            let server = try Tool.start(["serve", "--ca-file", authority])
            let announcement = try await server.output(containing: "Control-C")
            let lines = announcement.split(separator: "\n")
            let base = String(try #require(lines.first))
            #expect(base.hasPrefix("https://127.0.0.1:"))
            let testURL = String(try #require(lines[1].split(separator: " ").last))
            #expect(lines[1] == "Test routes: \(testURL)" && testURL.hasPrefix("https://127.0.0.1:") && testURL != base)
            #expect(lines[2] == "Try: sallyport get \(testURL)/echo --cacert \(authority)")
            #expect(lines[3] == "Try: sallyport login --issuer \(base) --client-id pub --cacert \(authority)")
            #expect(lines[5] == "Try: sallyport login --journey Login --server \(base) --cacert \(authority)")
            let call = try await Tool.run("get", testURL + "/echo", "--cacert", authority)
            #expect(try call.echo.method == "GET")
            for path in ["/echo", "/redirect-to?url=https://example.com", "/cookies/set?a=1", "/files"] {
                let missing = try await Tool.run("get", base + path, "--cacert", authority, "--fail")
                #expect(missing.errors.contains("404"), "\(path): \(missing.errors)")
            }
            for name in ["iPlanetDirectoryPro", "__Host-iPlanetDirectoryPro"] {
                let url = "\(testURL)/cookies/set?\(name)=attacker&secure"
                let refused = try await Tool.run("get", url, "--cacert", authority)
                #expect(refused.text.contains("Only the authorization server sets the cookie \(name)."), "\(refused)")
            }
            let page = try await Tool.run("get", base, "-H", "Accept: text/html", "--cacert", authority)
            #expect(page.text.contains("<a href=\"\(testURL)/\">"), "\(page.text)")
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test func `The command serve leaves no certificate behind if the identity file is invalid`() async throws {
        try await withTemporaryDirectory { folder in
            let identity = try folder.file("identity.json", "{")
            let server = try Tool.start(["serve", "--identity", identity])
            let authority = FileManager.default.temporaryDirectory
                .appendingPathComponent("sallyport-ca-\(server.identifier).pem")
            #expect(try await server.outcome().status != 0)
            #expect(!FileManager.default.fileExists(atPath: authority.path))
        }
    }

    @Test func `A server that cannot open its port does not overwrite the certificate of the other server`()
        async throws
    {
        try await withTemporaryDirectory { folder in
            let authority = folder.appendingPathComponent("ca.pem").path
            let server = try Tool.start(["serve", "--ca-file", authority])
            let announcement = try await server.output(containing: "Control-C")
            let base = String(try #require(announcement.split(separator: "\n").first))
            let port = try #require(base.split(separator: ":").last.map(String.init))
            let second = try await Tool.run("serve", "--port", port, "--ca-file", authority)
            #expect(second.status == 7)
            #expect(second.errors.contains("the address is already in use"), "\(second.errors)")
            #expect(try await Tool.run("get", base + "/health", "--cacert", authority).status == 0)
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test func `A certificate file that cannot be written is refused`() async throws {
        try await withTemporaryDirectory { folder in
            let missing = folder.appendingPathComponent("none/ca.pem").path
            let outcome = try await Tool.run("serve", "--ca-file", missing)
            #expect(outcome.status == 23)
            #expect(outcome.errors.contains("the CA file \(missing) cannot be written"), "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test(arguments: [SIGHUP, SIGTERM])
    func `The temporary certificate is removed after a signal`(signal: Int32) async throws {
        let server = try Tool.start(["serve"])
        _ = try await server.output(containing: "Control-C")
        let authority = FileManager.default.temporaryDirectory
            .appendingPathComponent("sallyport-ca-\(server.identifier).pem")
        #expect(FileManager.default.fileExists(atPath: authority.path))
        kill(server.identifier, signal)
        #expect(try await server.outcome().status == 0)
        #expect(!FileManager.default.fileExists(atPath: authority.path))
    }

    @Test func `The command serve --no-tls serves plain HTTP`() async throws {
        let server = try Tool.start(["serve", "--no-tls"])
        let announcement = try await server.output(containing: "Control-C")
        #expect(announcement.hasPrefix("http://127.0.0.1:"))
        #expect(!announcement.contains("--cacert"))
        server.interrupt()
        #expect(try await server.outcome().status == 0)
    }

    @Test(arguments: [([], "HTTP/2 200"), (["--no-http2"], "HTTP/1.1 200")])
    func `The command serve accepts HTTP/2 unless an option forbids it`(options: [String], line: String) async throws {
        try await withTemporaryDirectory { folder in
            let authority = folder.appendingPathComponent("ca.pem").path
            let server = try Tool.start(["serve", "--ca-file", authority] + options)
            let announcement = try await server.output(containing: "Control-C")
            let base = String(try #require(announcement.split(separator: "\n").first))
            let call = try await Tool.run("get", base + "/health", "-i", "--cacert", authority)
            #expect(call.text.hasPrefix(line), "\(call.text) \(call.errors)")
            let page = try await Tool.run("get", base, "-H", "Accept: text/html", "--cacert", authority)
            let login = "sallyport login --issuer \(base) --client-id pub --cacert \(authority)"
            #expect(page.text.contains("<pre>\(login)</pre>"), "\(page.text) \(page.errors)")
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test func `The command serve responds only for allowed hosts`() async throws {
        let server = try Tool.start([
            "serve", "--no-tls", "--allow-host", "gateway.example", "--allow-host", "*.apps.example",
        ])
        let announcement = try await server.output(containing: "Control-C")
        let port = try #require(announcement.split(separator: "\n").first?.split(separator: ":").last)
        func call(_ host: String) async throws -> String {
            let url = "http://\(host):\(port)/health"
            return try await Tool.run("get", url, "--resolve", "\(host):\(port):127.0.0.1").text
        }
        for host in ["gateway.example", "one.apps.example", "app.localhost"] {
            #expect(try await call(host).contains("ok"))
        }
        #expect(try await call("other.example").contains("--allow-host"))
        server.interrupt()
        #expect(try await server.outcome().status == 0)
        let wrong = try await Tool.run("serve", "--allow-host", "http://gateway.example")
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("without scheme"))
    }

    @Test func `The command serve refuses an address that it cannot listen on and a CA file that cannot be written`()
        async throws
    {
        let address = try await Tool.run("serve", "--host", "192.0.2.1", "--no-tls")
        #expect(address.status == 7)
        #expect(address.errors.contains("192.0.2.1"))
        try await withGateway { base in
            let port = try #require(URL(string: base)?.port)
            let taken = try await Tool.run("serve", "--port", "\(port)", "--no-tls")
            #expect(taken.status == 7)
            #expect(taken.errors.contains("127.0.0.1, port \(port): the address is already in use"), "\(taken.errors)")
            #expect(!taken.errors.contains("descriptor"))
        }
        let file = try await Tool.run("serve", "--ca-file", "/no/such/folder/ca.pem")
        #expect(file.status == 23)
        #expect(file.errors.contains("/no/such/folder/ca.pem"))
        #expect(try await Tool.run("serve", "--port", "70000").status == 2)
        let same = try await Tool.run("serve", "--port", "8080", "--test-port", "8080")
        #expect(same.status == 2)
        #expect(
            same.errors.contains("--test-port needs a number from 0 to 65535 other than that of --port"),
            "\(same.errors)"
        )
        let without = try await Tool.run("serve", "--identity-only", "--test-port", "8081")
        #expect(without.status == 2)
        #expect(without.errors.contains("omit --test-port"), "\(without.errors)")
    }

    @Test func `The command serve reads clients from a file with secrets hashed by serve hash-password`() async throws {
        try await withTemporaryDirectory { folder in
            let hashed = try await Tool.run(["serve", "hash-password", "--cost", "4"], input: Data("s3cret\n".utf8))
            let hash = hashed.text.trimmingCharacters(in: .newlines)
            #expect(hash.hasPrefix("scrypt$ln=4,r=8,p=1$"))
            let file = folder.appendingPathComponent("identity.json")
            let json = """
                {"clients": [{"client_id": "own", "client_secret": "\(hash)", "grant_types": ["client_credentials"],
                "scope": "api"}]}
                """
            try Data(json.utf8).write(to: file)
            let server = try Tool.start(["serve", "--no-tls", "--identity", file.path])
            let base = String(
                try #require(try await server.output(containing: "Control-C").split(separator: "\n").first)
            )
            let call = try await Tool.run(
                "post",
                base + "/token",
                "--field",
                "grant_type=client_credentials",
                "--field",
                "client_id=own",
                "--field",
                "client_secret=s3cret"
            )
            #expect(call.text.contains("\"token_type\":\"Bearer\""), "\(call.text) \(call.errors)")
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test func `The command serve refuses an unreadable or invalid identity file and does not quote it`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("identity.json")
            let missing = try await Tool.run("serve", "--identity", file.path)
            #expect(missing.status == 26)
            #expect(missing.errors == "sallyport: the file \(file.path) cannot be read: No such file or directory\n")
            let directory = try await Tool.run("serve", "--identity", folder.path)
            #expect(directory.errors.contains("cannot be read: it is a directory"), "\(directory.errors)")
            try Data(#"{"users": [{"username": "bob", "password": "p4ssword"}]}"#.utf8).write(to: file)
            let wrong = try await Tool.run("serve", "--identity", file.path)
            #expect(wrong.status == 26)
            #expect(wrong.errors.contains("serve hash-password"))
            #expect(!wrong.errors.contains("p4ssword"))
        }
    }

    @Test func `The command serve runs the trees of a file, and names the node of a mistake`() async throws {
        try await withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("trees.json")
            let tree = #"{"SignIn": {"start": "ask", "nodes": {"ask": {"type": "username", "next": "success"}}}}"#
            try Data(tree.utf8).write(to: file)
            let server = try Tool.start(["serve", "--no-tls", "--trees", file.path])
            let base = String(
                try #require(try await server.output(containing: "Control-C").split(separator: "\n").first)
            )
            let step = try await Tool.run(
                "post",
                base + "/json/realms/root/authenticate?authIndexType=service&authIndexValue=SignIn",
                "-H",
                "accept-api-version: resource=2.1, protocol=1.0"
            )
            #expect(step.text.contains("NameCallback"), "\(step.text) \(step.errors)")
            server.interrupt()
            #expect(try await server.outcome().status == 0)
            try Data(tree.replacing("username", with: "user").utf8).write(to: file)
            let wrong = try await Tool.run("serve", "--trees", file.path)
            #expect(wrong.status == 26)
            #expect(wrong.errors.contains(#"The tree "SignIn", node "ask": the type "user" is unknown."#))
            try Data(tree.replacing("SignIn", with: "Other").utf8).write(to: file)
            let identity = folder.appendingPathComponent("identity.json")
            try Data(#"{"trees": \#(tree), "step_up_tree": "SignIn"}"#.utf8).write(to: identity)
            let replaced = try await Tool.run("serve", "--identity", identity.path, "--trees", file.path)
            #expect(replaced.status == 26)
            let problem = "\(identity.path) with --trees \(file.path): There is no tree SignIn (step_up_tree)."
            #expect(replaced.errors.contains(problem), "\(replaced.errors)")
        }
    }

    @Test func `Identity server and resource gateway run as two processes`() async throws {
        try await withTemporaryDirectory { folder in
            let authority = folder.appendingPathComponent("ca.pem").path
            let identity = try Tool.start(["serve", "--identity-only", "--ca-file", authority])
            let announcement = try await identity.output(containing: "Control-C")
            let issuer = String(try #require(announcement.split(separator: "\n").first))
            #expect(!announcement.contains("/echo"))
            let resources = try Tool.start([
                "serve", "--no-tls", "--resource-only", "--introspect", issuer + "/api/v1/token/introspect",
                "--introspect-cacert", authority,
            ])
            let lines = try await resources.output(containing: "Control-C")
            let base = String(try #require(lines.split(separator: "\n").first))
            #expect(lines.contains("Try: sallyport get \(base)/resources/public"))
            let login = try await Tool.run(
                "post",
                issuer + "/token",
                "--cacert",
                authority,
                "--field",
                "grant_type=client_credentials",
                "--field",
                "client_id=conf",
                "--field",
                "client_secret=s3cret-conf"
            )
            let token = try #require(login.text.firstMatch(of: /"access_token":"([^"]+)"/)?.1, "\(login.errors)")
            let granted = try await Tool.run("get", base + "/resources/api", "-H", "Authorization: Bearer \(token)")
            #expect(granted.text.contains("\"client_id\" : \"conf\""), "\(granted.text)")
            let none = try await Tool.run("get", base + "/resources/api", "-i")
            #expect(none.text.hasPrefix("HTTP/1.1 401"), "\(none.text)")
            let other = try await Tool.run("get", issuer + "/resources/public", "--cacert", authority, "-i")
            #expect(other.text.split(separator: "\n").first?.contains(" 404") == true, "\(other.text)")
            for server in [identity, resources] {
                server.interrupt()
                #expect(try await server.outcome().status == 0)
            }
        }
    }

    @Test(
        arguments: [
            (#"{"resource_policies": [{"path": "/closed", "scope": "api"}, {"path": "/open"}]}"#, "/resources/open"),
            (#"{"resource_policies": [{"path": "/closed", "scope": "api"}]}"#, nil),
        ] as [(String, String?)]
    )
    func `A resource gateway prints a command that calls a resource without a scope, if there is one`(
        json: String,
        path: String?
    ) async throws {
        try await withTemporaryDirectory { folder in
            let server = try Tool.start([
                "serve", "--no-tls", "--resource-only", "--introspect", "https://127.0.0.1:1/",
                "--resources", try folder.file("resources.json", json),
            ])
            let lines = try await server.output(containing: "Control-C").split(separator: "\n")
            let base = String(try #require(lines.first))
            let expected = path.map { ["Try: sallyport get \(base)\($0)"] } ?? []
            #expect(lines.filter { $0.hasPrefix("Try:") }.map(String.init) == expected)
            server.interrupt()
            #expect(try await server.outcome().status == 0)
        }
    }

    @Test func `The command serve reads policies from a file`() async throws {
        try await withTemporaryDirectory { folder in
            let json = #"{"resource_policies": [{"path": "/open"}, {"path": "/closed", "scope": "api"}]}"#
            let server = try Tool.start(["serve", "--no-tls", "--resources", try folder.file("resources.json", json)])
            let base = String(
                try #require(try await server.output(containing: "Control-C").split(separator: "\n").first)
            )
            #expect(try await Tool.run("get", base + "/resources/open", "--fail").status == 0)
            #expect(try await Tool.run("get", base + "/resources/closed", "--fail").status == 22)
            #expect(try await Tool.run("get", base + "/resources/public", "--fail").status == 22)
            server.interrupt()
            #expect(try await server.outcome().status == 0)
            let wrong = try await Tool.run("serve", "--resources", try folder.file("wrong.json", "{}"))
            #expect(wrong.status == 26)
            #expect(wrong.errors.contains("resource_policies"))
        }
    }

    @Test(
        arguments: [
            (["--resource-only"], "--introspect"), (["--introspect", "https://id.example.com/"], "--resource-only"),
            (["--resource-only", "--introspect", "http://id.example.com/"], "it is not https"),
            (["--resource-only", "--introspect", "https://a.example/", "--identity-only"], "--identity-only"),
            (["--resource-only", "--introspect", "https://127.0.0.1/", "--trees", "x"], "--trees"),
            (["--introspect-secret-file", "x"], "need --introspect"),
            (["--introspect-client", "x"], "need --introspect"),
            (["--resource-only", "--introspect", "https://a.example/"], "--introspect-secret-file"),
            (["--resource-only", "--introspect", "https://a:b@127.0.0.1/"], "credentials"),
            (["--resource-only", "--introspect", "https://127.0.0.1/#a"], "fragment"),
        ]
    )
    func `Options of serve for resources that contradict each other are refused`(arguments: [String], mention: String)
        async throws
    {
        let outcome = try await Tool.run(["serve"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(mention), "\(outcome.errors)")
    }

    @Test(arguments: [["--app-version", ""], ["--platform", "i os"], ["--app", "com/example"]])
    func `A software statement with a name that no app can have is a usage error`(_ option: [String]) async throws {
        let outcome = try await Tool.run(["serve", "statement"] + option)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("\(option[0]) needs"), "\(outcome.errors)")
    }

    @Test func `The command serve statement prints a software statement`() async throws {
        let outcome = try await Tool.run("serve", "statement", "--app-version", "2.1", "--platform", "ios")
        #expect(outcome.status == 0)
        let parts = outcome.text.trimmingCharacters(in: .newlines).split(separator: ".")
        #expect(parts.count == 3)
        let encoded = String(try #require(parts.dropFirst().first))
        var payload = encoded.replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let claims = try JSONDecoder().decode([String: String].self, from: try #require(Data(base64Encoded: payload)))
        #expect(claims["software_id"] == "com.example.app")
        #expect(claims["software_version"] == "2.1")
        #expect(claims["app_platform"] == "ios")
    }
}
