import ClientTestSupport
import Foundation
import Logging
import Sallyport
import SallyportTesting
import TestSupport
import Testing

/// An app's interceptor, written with public API only. Like ``BasicAuthentication`` it attaches a secret for its own
/// origins. After a 401 response it asks for a new secret and sends the request again.
private struct BadgeAuthentication: Interceptor {
    let origins: OriginSet
    let newBadge: @Sendable () async throws -> String
    let badge = Badge()

    actor Badge {
        var value = "badge-1"

        func replace(by new: String) { value = new }
    }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        guard origins.contains(request), request.getHeader(name: "Authorization") == nil else {
            return try await next(request)
        }
        var request = request
        try request.attach(authorization: "Badge \(await badge.value)")
        try request.attach(header: "X-Team", value: "team-secret")
        let response = try await next(request)
        guard response.status == .unauthorized, !request.body.isSpent else { return response }
        await response.discard()
        await badge.replace(by: try await next.pausingTimeout { try await newBadge() })
        request.detachSecrets()
        try request.attach(authorization: "Badge \(await badge.value)")
        return try await next(request)
    }
}

@Suite(.concurrencyLimited) struct OwnAuthenticationTests {
    private func authentication(for origins: String...) throws -> BadgeAuthentication {
        BadgeAuthentication(origins: try OriginSet(origins)) { "badge-2" }
    }

    @Test func `Attached secrets are sent only to their own origins, also after redirects`() async throws {
        let server = MockTransport()
        server.on(.get, "/a", .redirect(to: "https://other.example/b"))
        server.on(.get, "/b", .redirect(to: "https://api.example.com/c"))
        server.on(.get, "/c", .text("c"))
        let own = try authentication(for: "https://api.example.com")
        let (client, _) = makeClient(server) { config in
            config.redirects = .follow(limit: 3)
            config.authentication = [own]
        }
        let response = try await client.request { request in request.url = "https://api.example.com/a" }
        #expect(response.bodyAsString() == "c")
        #expect(server.requests.map { $0.header("Authorization") } == ["Badge badge-1", nil, "Badge badge-1"])
        #expect(server.requests.map { $0.header("X-Team") } == ["team-secret", nil, "team-secret"])
    }

    @Test func `A refused secret is replaced, and detached secrets are not sent again`() async throws {
        let server = MockTransport { request in
            .text("", status: request.header("Authorization") == "Badge badge-2" ? 200 : 401)
        }
        let own = try authentication(for: "https://api.example.com")
        let (client, _) = makeClient(server) { config in config.authentication = [own] }
        let response: HttpResponse = try await client.request(request: makeRequest())
        #expect(response.status == .ok)
        #expect(server.requests.map { $0.header("X-Team") } == ["team-secret", nil])
    }

    @Test func `An Authorization header set by the app is not replaced`() async throws {
        let own = try authentication(for: "https://api.example.com")
        let (client, server) = makeClient { config in config.authentication = [own] }
        _ = try await client.request { request in
            request.url = "https://api.example.com/"
            request.setHeader(name: "Authorization", value: "Own 1")
        }
        #expect(server.requests.map { $0.header("Authorization") } == ["Own 1"])
    }

    @Test func `A later stage cannot send attached secrets to another origin`() async throws {
        struct Elsewhere: Interceptor {
            func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
                var request = request
                request.removeHeader(name: "Authorization")
                request.url = "https://other.example/"
                return try await next(request)
            }
        }
        let own = try authentication(for: "https://api.example.com")
        let (client, server) = makeClient { config in
            config.authentication = [own]
            config.addWireInterceptor(Elsewhere())
        }
        await #expect {
            try await client.request(request: makeRequest()) as HttpResponse
        } throws: { error in
            guard case NetworkError.invalidRequest(let failure) = error else { return false }
            return failure.reason.hasSuffix(
                "sends the header X-Team of https://api.example.com to https://other.example"
            )
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `Attached secrets are not logged`() async throws {
        let log = Journal()
        let own = try authentication(for: "https://api.example.com")
        let (client, server) = makeClient { config in
            config.authentication = [own]
            config.logger = CapturingLog.logger(log)
        }
        _ = try await client.request(request: makeRequest()) as HttpResponse
        #expect(server.requests.count == 1)
        let lines = log.entries.joined(separator: "\n")
        #expect(lines.lowercased().contains("x-team"))
        #expect(!lines.contains("badge-1") && !lines.contains("team-secret"))
    }

    @Test func `Removing the secrets of a request removes all sensitive headers and allows another origin`() throws {
        var request = HttpRequest(url: "https://api.example.com/")
        try request.attach(header: "X-Team", value: "team-secret")
        request.setHeader(name: "Authorization", value: "Own 1")
        request.setHeader(name: "X-Own", value: "1", isSensitive: true)
        request.setHeader(name: "Accept", value: "text/plain")
        request.removeSecrets()
        request.url = "https://other.example/"
        #expect(request.getHeaders() == ["Accept": "text/plain"])
        #expect(try request.head().authority == "other.example")
    }
}
