#if os(Linux) || os(macOS)
import Foundation
import Sallyport
import SallyportOAuth
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportLoopback

@Suite(.concurrencyLimited) struct SystemBrowserTests {
    /// A script that writes its arguments to a file and requests the redirect URI.
    private static let script = #"""
        #!/bin/bash
        printf '%s\n' "$#" "$@" >"${0%/*}/arguments"
        authority=${!#} authority=${authority#*redirect_uri=http://} authority=${authority%%/*}
        exec 3<>"/dev/tcp/${authority%:*}/${authority#*:}"
        printf 'GET /callback?code=c1&state=s%%201 HTTP/1.1\r\nHost: %s\r\n\r\n' "$authority" >&3
        """#

    private static func write(_ script: String, to file: URL) throws {
        try Data(script.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
    }

    @Test func `The command in BROWSER receives the URL as one argument, and the callback is returned`() async throws {
        try await withTemporaryDirectory { directory in
            let program = directory.appendingPathComponent("browser")
            try Self.write(Self.script, to: program)
            let notices = Watched<[BrowserNotice]>([])
            let browser = SystemBrowser(environment: ["BROWSER": "\(program.path) --new-window"]) { notice in
                notices.update { $0.append(notice) }
            }
            let attack = "&x=$(touch${IFS}/tmp/no)%20`id`;'\"&&&state=s%201"
            let urls = Watched("")
            let response = try await withDeadline(.patience, "the callback") {
                try await browser.authorize { redirectURI in
                    let url = "https://id.example.com/authorize?redirect_uri=\(redirectURI)\(attack)"
                    urls.update { $0 = url }
                    return AuthorizationRequest(url: url, redirectURI: redirectURI, state: "s 1")
                }
            }
            #expect(response.url.hasSuffix("/callback?code=c1&state=s%201"))
            #expect(response.request.url == urls.value)
            let arguments = try String(contentsOf: directory.appendingPathComponent("arguments"), encoding: .utf8)
            #expect(arguments == "2\n--new-window\n\(urls.value)\n")
            #expect(notices.value == [.opened(url: urls.value)])
        }
    }

    @Test(arguments: [["BROWSER": "/nowhere/browser"], ["PATH": "/nowhere"], ["PATH": "/nowhere", "DISPLAY": ":0"]])
    func `If no browser can be opened, a notice shows the URL`(environment: [String: String]) async throws {
        let shown = Watched("")
        let browser = SystemBrowser(environment: environment) { notice in
            if case .notOpened(let url, let reason) = notice, !reason.isEmpty { shown.update { $0 = url } }
        }
        async let response = browser.authorize { redirectURI in
            let url = "https://id.example.com/authorize?state=s&redirect_uri=\(redirectURI)"
            return AuthorizationRequest(url: url, redirectURI: redirectURI, state: "s")
        }
        try await shown.wait("the notice") { !$0.isEmpty }
        let redirectURI = shown.value.split(separator: "=").last.map(String.init) ?? ""
        #expect(try await Visitor.get("\(redirectURI)?code=c&state=s").contains("close this page"))
        #expect(try await response.url == "\(redirectURI)?code=c&state=s")
    }

    @Test func `A command that fails is reported, and the wait for the callback continues`() async throws {
        try await withTemporaryDirectory { directory in
            let program = directory.appendingPathComponent("browser")
            try Self.write("#!/bin/sh\nexit 3\n", to: program)
            let notices = Watched<[BrowserNotice]>([])
            let browser = SystemBrowser(timeout: .patience, environment: ["BROWSER": program.path]) { notice in
                notices.update { $0.append(notice) }
            }
            let task = Task {
                try await browser.authorize { redirectURI in
                    let url = "https://id.example.com/authorize"
                    return AuthorizationRequest(url: url, redirectURI: redirectURI, state: "s")
                }
            }
            try await notices.wait("both notices") { $0.count == 2 }
            let failed = BrowserNotice.notOpened(
                url: "https://id.example.com/authorize",
                reason: "\(program.path) ended with status 3"
            )
            #expect(notices.value.contains(failed))
            task.cancel()
            await expectError(\NetworkError.kind, "cancelled") { try await task.value }
        }
    }

    @Test(arguments: ["file:///etc/passwd", "javascript:alert(1)", "-x", ""])
    func `A URL that is not a web page is not opened`(url: String) async throws {
        let browser = SystemBrowser(environment: ["BROWSER": "/bin/false"]) { _ in Issue.record("a notice") }
        await #expect {
            try await browser.authorize { AuthorizationRequest(url: url, redirectURI: $0, state: "s") }
        } throws: { error in
            if case NetworkError.invalidRequest = error { true } else { false }
        }
    }

    @Test func `Callbacks without the state do not end the login of a pushed request`() async throws {
        let transport = MockTransport()
        transport.on(.post, "/par", .json(#"{"request_uri": "urn:x:1", "expires_in": 60}"#, status: 201))
        transport.on(.post, "/token", .json(#"{"access_token": "access-1", "token_type": "Bearer"}"#))
        let client = OAuthClient(issuer: "https://id.example.com", clientID: "app") { config in
            config.scopes = ["api"]
            config.metadata = ServerMetadata(members: [
                "issuer": "https://id.example.com", "authorization_endpoint": "https://id.example.com/authorize",
                "pushed_authorization_request_endpoint": "https://id.example.com/par",
                "token_endpoint": "https://id.example.com/token",
            ])
            config.httpClient = HttpClient.createClient { $0.transport = transport }
        }
        let forms = { (path: String) in
            transport.requests.filter { $0.path == path }.map { request in
                var components = URLComponents()
                components.percentEncodedQuery = request.text
                return Dictionary((components.queryItems ?? []).map { ($0.name, $0.value) }) { first, _ in first }
            }
        }
        let shown = Watched("")
        let browser = SystemBrowser(environment: ["PATH": "/nowhere"]) { notice in
            if case .notOpened(let url, _) = notice { shown.update { $0 = url } }
        }
        async let signedIn = client.signIn(with: browser)
        try await shown.wait("the notice") { !$0.isEmpty }
        #expect(!shown.value.contains("state"))
        let form = try #require(forms("/par").first)
        let redirectURI = try #require(form["redirect_uri"] ?? nil)
        for query in ["code=other", "error=access_denied", "code=other&state=", "error=access_denied&state=guess"] {
            #expect(try await Visitor.get("\(redirectURI)?\(query)").hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        }
        _ = try await Visitor.get("\(redirectURI)?code=code-1&state=\(try #require(form["state"] ?? nil))")
        #expect(try await signedIn.accessToken == "access-1")
        #expect(forms("/token").map { $0["code"] } == ["code-1"])
    }

    @Test func `The first command in BROWSER that exists is used`() throws {
        let environment = ["BROWSER": "nowhere:sh --url=%s -x:true", "PATH": "/nowhere:/bin"]
        let command = try BrowserCommand.find(in: environment)
        #expect(command == BrowserCommand(program: "/bin/sh", arguments: ["--url=%s", "-x"]))
        #expect(command.arguments(for: "http://a/%s?b") == ["--url=http://a/%s?b", "-x"])
        #expect(BrowserCommand(program: "/bin/sh").arguments(for: "http://a/%s") == ["http://a/%s"])
    }

    @Test func `A directory is not used as a program`() {
        #expect(throws: BrowserCommand.NotFound.self) { try BrowserCommand.find(in: ["BROWSER": "/bin/."]) }
    }
}
#endif
