import ClientTestSupport
import Foundation
import Logging
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct LoggingTests {
    private let journal = Journal()
    /// A text used as the value of every secret.
    private let canary = "C4NARY"

    private func client(_ server: MockTransport, level: Logger.Level = .trace) -> HttpClient {
        HttpClient.createClient { config in
            config.transport = server
            config.logger = CapturingLog.logger(journal, level: level)
            config.redirects = .follow(limit: 2)
        }
    }

    private func answer() -> MockResponse {
        MockResponse.json(
            """
            {"access_token": "\(canary)", "nested": [{"client-secret": {"a": "\(canary)"}}], "plain": "shown",
             "callbacks": [{"type": "PasswordCallback", "input": [{"name": "IDToken2", "value": "\(canary)"}]}],
             "sent": [["Cookie", "sid=\(canary)"], ["Accept", "text/html"]], "raw": ["Host", "a", "set-cookie", "\(canary)"],
             "link": "https://a.example/?code=\(canary)", "any": "eyJhbGciOiJub25lIn0.\(canary).x", "authId": "\(canary)"}
            """
        )
        .header(.setCookie, "session=\(canary)")
        .header(.location, "https://app.example/cb?state=1&code=\(canary)#id_token=\(canary)")
    }

    private func secretRequest(_ build: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
        makeRequest(
            "https://api.example.com/a?access_token=\(canary)&page=2&goto=https%3A%2F%2Fb%2F%3Ftoken%3D\(canary)"
        ) { request in
            request.setParameter(name: "client_assertion", value: canary)
            request.setHeader(name: "Authorization", value: "Bearer \(canary)")
            request.setHeader(name: "Proxy-Authorization", value: canary)
            request.setHeader(name: "X-Api-Key", value: canary)
            request.setHeader(name: "X-Mine", value: canary, isSensitive: true)
            request.setHeader(name: "Referer", value: "https://a.example/?code=\(canary)")
            request.setHeader(name: "X-Plain", value: "visible")
            request.setCookie(cookie: "id=\(canary)")
            build(&request)
        }
    }

    private func expectNoCanary(_ text: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(!text.contains(canary), sourceLocation: location)
    }

    @Test(arguments: Logger.Level.allCases)
    func `No secret is logged at any level`(level: Logger.Level) async throws {
        let answer = answer()
        let client = client(MockTransport { _ in answer }, level: level)
        _ = try await client.request(request: secretRequest())
        _ = try await client.request(
            request: secretRequest {
                $0.form(parameters: [
                    "password": canary, "code_verifier": canary, "user": "john", "x": "a?token=\(canary)",
                ])
            }
        )
        _ = try await client.request(
            request: secretRequest {
                $0.post(json: ["refresh_token": canary, "a": ["client_secret": canary], "user": "john"])
            }
        )
        _ = try await client.request(request: secretRequest { $0.post(contentType: "text/plain", body: canary) })
        _ = try await client.request(
            request: secretRequest { $0.post(contentType: "application/json", body: "{\(canary)") }
        )
        expectNoCanary(journal.entries.joined(separator: "\n"))
    }

    @Test func `Values that are not secret are logged at trace level`() async throws {
        let answer = answer()
        let client = client(MockTransport { _ in answer })
        _ = try await client.request(
            request: secretRequest { $0.form(parameters: ["user": "john", "password": canary]) }
        )
        let log = journal.entries.joined(separator: "\n")
        let shown = [
            "POST https://api.example.com/a?access_token=***&page=2&goto=***&client_assertion=***",
            "Authorization: ***",
            "X-Plain: visible", "password=***&user=john", "\"plain\":\"shown\"", "cb?state=1&code=***#id_token=***",
            "\"value\":\"***\"", "x-requested-with: sallyport-sdk", #"["Cookie","***"],["Accept","text/html"]"#,
        ]
        for text in shown { #expect(log.contains(text), "\(text)") }
    }

    @Test func `A call is one line at debug level`() async throws {
        let client = client(MockTransport { _ in .status(404) }, level: .debug)
        _ = try await client.request(request: makeRequest("https://api.example.com/a"))
        #expect(journal.entries.count == 1)
        #expect(try #require(journal.entries.first).hasPrefix("debug: GET https://api.example.com/a -> 404 in "))
    }

    @Test func `A failed call is an error without secrets`() async throws {
        let client = client(MockTransport { _ in .fail(.connectionFailed("refused")) }, level: .error)
        _ = try? await client.request(request: secretRequest())
        #expect(journal.entries.count == 1)
        #expect(try #require(journal.entries.first).hasPrefix("error: GET https://api.example.com/a?"))
        expectNoCanary(journal.entries.joined())
    }

    @Test(arguments: [(Logger.Level.warning, 1), (.error, 1), (.critical, 0)])
    func `At the levels warning and error only failed calls are logged`(level: Logger.Level, lines: Int)
        async throws
    {
        let server = MockTransport { request in
            request.path == "/lost" ? .fail(.connectionFailed("refused")) : .status(503)
        }
        let client = client(server, level: level)
        _ = try await client.request(request: makeRequest("https://api.example.com/found"))
        #expect(journal.entries.isEmpty)
        _ = try? await client.request(request: makeRequest("https://api.example.com/lost"))
        #expect(journal.entries.count == lines)
    }

    @Test func `Nothing is logged by default`() {
        #expect(HttpClientConfiguration().logger.handler is SwiftLogNoOpLogHandler)
    }

    @Test func `The standard, warning and none loggers have their levels`() {
        #expect(LogManager.standard.logLevel == .debug)
        #expect(LogManager.warning.logLevel == .warning)
        #expect(LogManager.none.handler is SwiftLogNoOpLogHandler)
    }

    @Test func `Errors contain no secrets`() async throws {
        let bad = secretRequest { $0.setHeader(name: "X-Bad", value: "\(canary)\n") }
        let badUrl = makeRequest("ftp://\(canary):\(canary)@a.example/?token=\(canary)#\(canary)")
        let badPort = makeRequest("https://u:\(canary)@a.example:99999999/?token=\(canary)")
        let badJson = secretRequest { $0.post(json: ["a": [canary, Date()] as [Any]]) }
        let server = MockTransport { _ in .redirect(to: "http://\(canary)@b.example/?code=\(canary)") }
        let client = client(server)
        for request in [bad, badUrl, badPort, badJson, secretRequest()] {
            let error = await #expect(throws: NetworkError.self) { try await client.request(request: request) }
            expectNoCanary("\(error, default: "")")
            expectNoCanary(String(reflecting: error))
        }
        let response = HttpResponse(status: .ok, body: Data("{\"a\": \"\(canary)\"}".utf8), request: secretRequest())
        let error = #expect(throws: NetworkError.self) { try response.decode([String: Int].self) }
        expectNoCanary("\(error, default: "")")
    }

    @Test func `Descriptions and dumps contain no secrets`() {
        let request = secretRequest { $0.post(json: ["password": canary]) }
        expectNoCanary("\(request)")
        expectNoCanary(String(reflecting: request))
        expectNoCanary(request.curlDescription)
        let response = HttpResponse(
            status: .ok,
            headers: ["Set-Cookie": [canary]],
            body: Data(canary.utf8),
            request: request
        )
        expectNoCanary("\(response) \(response.headers)")
        var dumped = ""
        dump(response, to: &dumped)
        dump(request, to: &dumped)
        dump(response.headers, to: &dumped)
        expectNoCanary(dumped)
    }
}
