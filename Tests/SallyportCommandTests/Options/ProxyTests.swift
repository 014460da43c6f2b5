import Foundation
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ProxyTests {
    private static let answer: Script = [
        .receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nproxied"),
    ]
    private static let url = "http://server.invalid/a"

    @Test func `The option --proxy sends the complete URL and credentials to the proxy, and -v shows no credentials`()
        async throws
    {
        try await withScriptedServer([Self.answer]) { proxy in
            let outcome = try await Tool.run("get", Self.url, "--proxy", "http://ada:s3cret@\(proxy.authority)", "-v")
            #expect(outcome.text == "proxied")
            #expect(proxy.requests.first?.target == Self.url)
            #expect(proxy.requests.first?["Proxy-Authorization"] == ["Basic YWRhOnMzY3JldA=="])
            #expect(!outcome.errors.contains("s3cret") && !outcome.errors.contains("YWRhOnMzY3JldA"))
        }
    }

    #if os(Linux)
    @Test func `Proxy variables are used by default, and neither with --no-proxy nor with another proxy`() async throws
    {
        try await withScriptedServer([Self.answer]) { proxy in
            let variables = ["http_proxy": proxy.authority, "no_proxy": "127.0.0.0/8"]
            for option in [[], ["--proxy", "environment"]] {
                let proxied = try await Tool.run(["get", Self.url] + option, environment: variables)
                #expect(proxied.text == "proxied", "\(proxied.errors)")
            }
            for option in [["--no-proxy"], ["--noproxy", "*"], ["--noproxy", "server.invalid"], ["--proxy", ""]] {
                let direct = try await Tool.run(["get", Self.url] + option, environment: variables)
                #expect(direct.status == 6, "\(direct.errors)")
            }
            let excepted = try await Tool.run(["get", "http://127.0.0.1:1/"], environment: variables)
            #expect(excepted.errors.contains("on port 1"))
            #expect(proxy.acceptedConnections == 2)
            let replaced = ["get", "http://127.0.0.1:1/", "--noproxy", "other"]
            #expect(try await Tool.run(replaced, environment: variables).text == "proxied")
            let broken = try await Tool.run(
                ["get", Self.url],
                environment: ["http_proxy": "http://ada:s3cret@proxy"]
            )
            #expect(broken.status == 2)
            #expect(broken.errors.contains("the environment variable http_proxy cannot be used"))
            #expect(!broken.errors.contains("s3cret"))
        }
    }

    @Test func `The error for a proxy that cannot be reached names the variable that specifies it`() async throws {
        let variables = ["http_proxy": "http://127.0.0.1:1"]
        let outcome = try await Tool.run(["get", Self.url], environment: variables)
        #expect(outcome.status == 7)
        #expect(outcome.errors.contains("the proxy 127.0.0.1:1 of http_proxy cannot be reached"), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("check the variable, or use --no-proxy\n"), "\(outcome.errors)")
        let chosen = try await Tool.run("get", Self.url, "--proxy", "http://127.0.0.1:1")
        #expect(chosen.errors.contains("the proxy 127.0.0.1:1 cannot be reached"), "\(chosen.errors)")
        #expect(chosen.errors.hasSuffix("check that the proxy is running and the port is right\n"), "\(chosen.errors)")
    }
    #endif

    @Test func `A proxy can be reached over TLS, with the authorities of --proxy-cacert or --cacert`() async throws {
        let authority = try TestAuthority()
        let tls = ServerTLS(identity: try authority.serverIdentity())
        try await withTemporaryDirectory { folder in
            let trusted = try folder.file("ca.pem", authority.certificatePEM)
            try await withScriptedServer([Self.answer], tls: tls) { proxy in
                let call = ["get", Self.url, "--proxy", "https://localhost:\(proxy.port)"]
                for option in ["--proxy-cacert", "--cacert"] {
                    let outcome = try await Tool.run(call + [option, trusted])
                    #expect(outcome.text == "proxied", "\(outcome.errors)")
                }
                let refused = try await Tool.run(call)
                #expect(refused.status == 60)
                #expect(
                    refused.errors.hasSuffix("pass the certificate of its authority with --proxy-cacert\n"),
                    "\(refused.errors)"
                )
                let curl = try await Tool.run(call + ["--proxy-cacert", trusted, "--curl"])
                #expect(curl.text.contains("--proxy-cacert \(trusted)"), "\(curl.text)")
            }
        }
    }

    @Test func `The option --noproxy names servers for direct connections`() async throws {
        try await withScriptedServer([Self.answer]) { server in
            let url = "http://\(server.authority)/a"
            let outcome = try await Tool.run("get", url, "--proxy", "http://127.0.0.1:1", "--noproxy", "a,127.0.0.1")
            #expect(outcome.text == "proxied")
            #expect(server.requests.first?.target == "/a")
        }
    }

    @Test func `The option --curl prints the proxy, with credentials only if secrets are shown`() async throws {
        let arguments = ["get", Self.url, "--proxy", "socks5h://ada:s3cret@proxy:1080", "--noproxy", "b", "--curl"]
        let masked = try await Tool.run(arguments)
        #expect(masked.text.contains("socks5h://***@proxy:1080"))
        #expect(masked.text.contains("--noproxy b"))
        #expect(!masked.text.contains("s3cret"))
        #expect(try await Tool.run(arguments + ["--show-secrets"]).text.contains("socks5h://ada:s3cret@proxy:1080"))
    }

    @Test func `The option --curl prints the options that change the proxies of the environment`() async throws {
        #expect(try await Tool.run("get", Self.url, "--no-proxy", "--curl").text.contains("--noproxy '*'"))
        #expect(try await Tool.run("get", Self.url, "--noproxy", "a,b", "--curl").text.contains("--noproxy a,b"))
    }

    @Test func `The option --curl reads the proxy's user from standard input once`() async throws {
        let arguments = ["get", Self.url, "--proxy", "http://proxy:1", "--proxy-user-file", "-", "--curl"]
        let input = Data("ada:s3cret".utf8)
        #expect(try await Tool.run(arguments, input: input).text.contains("--proxy http://proxy:1 --proxy-user '***'"))
        let shown = try await Tool.run(arguments + ["--show-secrets"], input: input)
        #expect(shown.text.contains("--proxy http://ada:s3cret@proxy:1"), "\(shown.text)\(shown.errors)")
    }

    @Test(
        arguments: [
            ["--proxy", "http://ada:s3cret@proxy"], ["--proxy", "https://ada:s3cret@proxy"],
            ["--proxy", "http://ada:s3cret%00@proxy:1"], ["--no-proxy", "--noproxy", "a"],
            ["--proxy", "http://proxy:1", "--no-proxy"],
        ]
    )
    func `An invalid proxy is a usage error, and its password is not shown`(arguments: [String]) async throws {
        let outcome = try await Tool.run(["get", Self.url] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--proxy") || outcome.errors.contains("--noproxy"))
        #expect(!outcome.errors.contains("s3cret"), "\(outcome.errors)")
    }

    #if !os(Linux)
    @Test func `The transport URLSession refuses a proxy`() async throws {
        let outcome = try await Tool.run("get", Self.url, "--proxy", "http://proxy:1", "--transport", "urlsession")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("URLSession uses the system's proxies and does not support a configured proxy"))
    }
    #endif
}
