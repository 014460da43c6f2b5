import ClientTestSupport
import Logging
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct PlainHTTPInterceptorTests {
    private let journal = Journal()

    private var warnings: [String] { journal.entries.filter { $0.contains("over plain HTTP") } }

    private func client(_ configure: (inout HttpClientConfiguration) -> Void = { _ in }) -> HttpClient {
        makeClient { config in
            config.logger = CapturingLog.logger(journal, level: .warning)
            configure(&config)
        }.client
    }

    private func send(_ url: String, with client: HttpClient) async throws {
        let _: HttpResponse = try await client.request(request: makeRequest(url))
    }

    @Test func `The first request of a client over plain HTTP is logged, without path and query`() async throws {
        let client = client()
        for path in ["first?token=canary", "second"] { try await send("http://api.example.com/\(path)", with: client) }
        try await send("http://other.example.com:8080/", with: client)
        #expect(warnings.count == 1)
        #expect(
            warnings.first?.hasPrefix("warning: A request is sent to api.example.com:80 over plain HTTP, which") == true
        )
        try await send("http://api.example.com/", with: self.client())
        #expect(warnings.count == 2)
    }

    @Test func `Clients that share connections log it once, also when they call concurrently`() async throws {
        let shared = client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { try await send("http://api.example.com/", with: shared.forUser()) }
            }
            try await group.waitForAll()
        }
        #expect(warnings.count == 1)
    }

    @Test func `A client without a log does not suppress the warning of a derived client`() async throws {
        let silent = client { $0.logger = LogManager.none }
        try await send("http://api.example.com/", with: silent)
        let logging = silent.derived { $0.logger = CapturingLog.logger(journal) }
        try await send("http://api.example.com/", with: logging)
        #expect(warnings.count == 1)
    }

    @Test(
        arguments: ["https://api.example.com/", "http://127.0.0.1:1/", "http://[::1]:1/", "http://a.localhost/"],
        [true, false]
    )
    func `Requests over TLS and to loopback addresses are sent and not logged`(url: String, allows: Bool) async throws {
        try await send(url, with: client { $0.allowsPlainHTTP = allows })
        #expect(journal.entries.isEmpty)
    }

    @Test(arguments: ["http://api.example.com/a", "HTTP://192.0.2.1:8080/", "http://localhost.example.com/"])
    func `Plain HTTP that is not allowed is refused before anything is sent`(url: String) async {
        let (client, server) = makeClient { $0.allowsPlainHTTP = false }
        let error = await expectError(\NetworkError.kind, "invalidRequest") { try await send(url, with: client) }
        let failure = error?.failure
        #expect(failure?.reason.hasPrefix("the client does not allow plain HTTP, except to loopback addresses") == true)
        #expect(failure?.advice == "use https, or set allowsPlainHTTP in the configuration of the client")
        #expect(server.requests.isEmpty)
    }

    @Test func `A wire interceptor cannot change a request to plain HTTP that is not allowed`() async {
        struct Downgrading: Interceptor {
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                var request = request
                request.url = "http://api.example.com/"
                return try await next(request)
            }
        }
        let (client, server) = makeClient { config in
            config.allowsPlainHTTP = false
            config.addWireInterceptor(Downgrading())
        }
        await expectError(\NetworkError.kind, "invalidRequest") {
            try await send("https://api.example.com/", with: client)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `A redirect from a loopback address to plain HTTP elsewhere is refused`() async throws {
        let answer = "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"
        try await withScriptedServer([[.receiveHead, .send(answer)]]) { server in
            let client = HttpClient.createClient { config in
                config.allowsPlainHTTP = false
                config.redirects = .follow(limit: 1)
                config.timeout = 5
            }
            defer { client.close() }
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await send("http://\(server.authority)/", with: client)
            }
            #expect(server.requests.count == 1)
        }
    }

    @Test func `Plain HTTP to a loopback address through a proxy is refused`() async throws {
        try await withScriptedServer([[.stall]]) { proxy in
            let client = try HttpClient.createClient { config in
                config.allowsPlainHTTP = false
                config.proxy = .proxy(try Proxy("http://\(proxy.authority)"))
                config.timeout = 5
            }
            defer { client.close() }
            await expectError(\NetworkError.kind, "invalidRequest") {
                try await send("http://localhost:1/", with: client)
            }
            #expect(proxy.acceptedConnections == 0)
        }
    }
}
