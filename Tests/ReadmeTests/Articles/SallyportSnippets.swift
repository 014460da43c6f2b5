import Foundation
import Sallyport
import SallyportEngine
import SallyportStorage
import SallyportTesting
import SallyportURLSession

// The Swift blocks of the documentation of Sallyport, SallyportTesting and the transports that are not in Snippets.swift; see ReadmeTests.

// First-Request.md

private func decoded(response: HttpResponse) throws -> [Any] {
    struct Book: Decodable {
        var title: String
    }

    guard response.status.isSuccess() else { return [] }
    let books = try response.decode([Book].self)
    return books
}

private func sent(client: HttpClient) async throws -> [HttpResponse] {
    struct Review: Encodable {
        var stars: Int
    }

    let created = try await client.request { request in
        request.url = "https://api.example.com/reviews"
        request.post(json: Review(stars: 5))
    }
    let found = try await client.request { request in
        request.url = "https://api.example.com/find"
        request.form(parameters: ["title": "Momo"])
    }
    return [created, found]
}

private func changedDefaults() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.timeout = 30
        config.retry = .exponential(attempts: 4)
        config.redirects = .follow(limit: 5)
        config.logger = LogManager.standard
    }
    return client
}

// Choosing-an-Interceptor.md

private func intercepted() -> HttpClient {
    struct Stopwatch: Interceptor {
        func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
            let start = ContinuousClock.now
            let response = try await next(request)
            print(request, "took", ContinuousClock.now - start)
            return response
        }
    }

    let client = HttpClient.createClient { config in
        config.onRequest { request in request.setHeader(name: "Accept-Language", value: "en") }
        config.addInterceptor(Stopwatch())
    }
    return client
}

// Certificate-Pins.md

private func pinned(currentKey: String, backupKey: String) throws -> HttpClient {
    let client = try HttpClient.createClient { config in
        try config.pins.pin("api.example.com", to: [currentKey, backupKey])  // "sha256/…"
    }
    return client
}

private func pinned(
    _ config: inout HttpClientConfiguration,
    currentKey: String,
    backupKey: String,
    expiry: Date
) throws {
    try config.pins.pin("*.example.com", to: [currentKey, backupKey], until: expiry)
}

private func reported(
    currentKey: String,
    backupKey: String,
    report: @escaping @Sendable (String) -> Void
) throws -> HttpClient {
    let client = try HttpClient.createClient { config in
        try config.pins.pin("api.example.com", to: [currentKey, backupKey], .reportOnly)
        config.pins.onMismatch = { mismatch in report(mismatch.description) }
    }
    return client
}

private func mismatched(client: HttpClient) async throws {
    do {
        _ = try await client.request { request in request.url = "https://api.example.com/accounts" }
    } catch NetworkError.pinMismatch(let failure) {
        print(failure)  // states the expected pins, and those of the server
    }
}

private func mockedPins(currentKey: String, backupKey: String) throws -> HttpClient {
    let server = MockTransport { _ in .text("hello") }
    server.present([try CertificatePin(currentKey)], for: "api.example.com")
    let client = try HttpClient.createClient { config in
        config.transport = server
        try config.pins.pin("api.example.com", to: [currentKey, backupKey])
    }
    return client
}

// SallyportTransport.md

private func configuredTransport() throws -> HttpClient {
    let client = try HttpClient.createClient { config in
        config.transportConfiguration.connections.perHost = 8
        config.proxy = .proxy(try Proxy("http://proxy.example.com:3128"), except: ["localhost"])
    }
    return client
}

// SallyportEngine.md

private func withEngine() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.transport = Engine()
    }
    return client
}

// SallyportURLSession.md

private func withURLSession() -> HttpClient {
    let client = HttpClient.createClient { config in
        config.transport = URLSessionTransport(configuration: TransportConfiguration())
    }
    return client
}

// Errors-and-Remedies.md

private func explained(client: HttpClient) async {
    do {
        let response = try await client.request { request in request.url = "https://api.example.com/users" }
        print(response.status)
    } catch {
        print(error.failure.reason)
        print(error.failure.phase?.rawValue ?? "before the first phase")
        print(error.failure.advice ?? "no advice")
    }
}

// SallyportTesting.md

private func mocked() -> HttpClient {
    let transport = MockTransport()
    transport.on(.get, "/users/*", .json(#"{"name": "John Doe"}"#))
    let client = HttpClient.createClient { config in config.transport = transport }
    return client
}
