import Foundation
import SallyportGateway
import SallyportTransport
import TestSupport
import Testing

@testable import Sallyport

/// Adds a lifetime to the responses of a server that has none.
private struct ResponseLifetime: Interceptor {
    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var response = try await next(request)
        response.headers.fields[.cacheControl] = "max-age=86400"
        return response
    }
}

@Suite(.concurrencyLimited) struct CacheUserConnectionTests {
    private struct Answer: Sendable {
        let isOfUser: Bool
        let isHit: Bool
    }

    /// Makes a call for one of two users to a URL that responds with the header fields of the request.
    private func call(_ client: HttpClient, _ number: Int, to origin: String) async throws -> Answer {
        let user = number.isMultiple(of: 2) ? "alice" : "bob"
        let url = "\(origin)/echo/\(number / 2 % 50)"
        let request = HttpRequest("GET", url, ["Authorization: Bearer \(user)"])
        let response = try await client.request(request: request)
        let isOfUser = response.bodyAsString().contains("Bearer \(user)")
        return Answer(isOfUser: isOfUser, isHit: response.cacheStatus?.isHit == true)
    }

    private func answers(_ client: HttpClient, from origin: String) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<1_000 {
                group.addTask { try await call(client, number, to: origin) }
            }
            var all: [Answer] = []
            for try await answer in group { all.append(answer) }
            return all
        }
    }

    @Test func `Two users never receive each other's response in 1,000 calls over 8 connections`() async throws {
        let storage = MemoryCacheStorage()
        let limit = Duration.seconds(600)
        try await Gateway.withRunning { address in
            let client = HttpClient.createClient { config in
                config.cache = HttpCache(storage: storage)
                config.cookieJar = nil
                config.timeouts = Timeouts(queue: limit, connect: limit, idle: limit, total: limit)
                config.transportConfiguration.connections.perHost = 8
                config.addWireInterceptor(ResponseLifetime())
            }
            defer { client.close() }
            let first = try await answers(client, from: address.baseURL)
            #expect(first.count == 1_000)
            #expect(first.filter { !$0.isOfUser }.isEmpty)
            #expect(await storage.allEntries().count == 100)
            let second = try await answers(client, from: address.baseURL)
            #expect(second.filter { !$0.isOfUser || !$0.isHit }.isEmpty)
        }
    }
}
