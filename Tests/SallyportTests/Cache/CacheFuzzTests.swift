import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Sallyport

@Suite(.busy) struct CacheFuzzTests {
    private static let responseDirectives = [
        "max-age=60", "max-age=0", "max-age=\"10\"", "max-age=99999999999999999999", "max-age=x", "no-cache",
        "no-cache=\"X-A\"", "must-revalidate", "public", "private", "immutable", "stale-while-revalidate=100",
        "stale-if-error=100", "s-maxage=10", "foo=\"bar, no-store\"", "", "=", "\"", "\\",
    ]

    private static let requestDirectives = [
        "max-age=0", "max-age=30", "max-stale", "max-stale=20", "min-fresh=10", "no-cache", "no-store",
        "only-if-cached",
        "stale-if-error=10", "", "=", "\"",
    ]

    private static let responseFields = [
        "ETag: \"a\"", "ETag: W/\"a\"", "Last-Modified: \(httpDate(-1_000))", "Age: 30", "Age: -1", "Expires: 0",
        "Date: \(httpDate(-20))", "Expires: \(httpDate(100))", "Vary: X-A", "Date: tomorrow",
    ]

    private static let requestFields = [
        "If-None-Match: \"a\"", "If-None-Match: *", "If-Modified-Since: \(httpDate(0))", "Range: bytes=1-2",
        "Range: bytes=9-", "If-Range: \"a\"", "If-Match: \"a\"", "X-A: 1", "Pragma: no-cache",
    ]

    private func some(_ lines: [String], _ generator: inout SeededGenerator) -> [String] {
        lines.filter { _ in Int.random(in: 0..<5, using: &generator) == 0 }
    }

    private func fields(_ lines: [String], _ directives: [String]) -> HTTPFields {
        let control = directives.isEmpty ? [] : ["Cache-Control: \(directives.joined(separator: ", "))"]
        return HttpRequest("GET", "https://example.com/", lines + control).fields
    }

    @Test func `20,000 random decisions respect the directives`() throws {
        var generator = SeededGenerator(seed: 42)
        let rules = CacheRules()
        let digestKey = CacheDigest.makeKey()
        for _ in 0..<20_000 {
            let response = fields(some(Self.responseFields, &generator), some(Self.responseDirectives, &generator))
            let request = fields(some(Self.requestFields, &generator), some(Self.requestDirectives, &generator))
            let sent = CacheRequest(method: .get, fields: request, digestKey: digestKey)
            let variant = try #require(CacheVariant(of: response, to: sent))
            let head = HttpCacheHead(
                url: "",
                variant: variant.digest,
                varyingFields: variant.names,
                status: 200,
                fields: response,
                requestTime: CacheClock.start,
                responseTime: CacheClock.start
            )
            let entry = HttpCacheEntry(key: HttpCacheKey(resource: "", partition: ""), head: head, bodyLength: 5)
            let now = CacheClock.start.addingTimeInterval(Double.random(in: -100...200, using: &generator))
            let decision = rules.decide(sent, [entry], at: now)
            check(decision, CacheDirectives(response), CacheDirectives(request))
        }
    }

    private func check(_ decision: CacheDecision, _ response: CacheDirectives, _ request: CacheDirectives) {
        switch decision {
        case .use(let reuse):
            #expect(!response.appliesToCompleteResponse("no-cache") && !request.contains("no-cache"))
            #expect(!request.contains("no-store"))
            #expect(reuse.freshness.isFresh || !response.contains("must-revalidate"))
            #expect(reuse.freshness.isFresh == (reuse.detail == nil))
            #expect(!reuse.isValidatedInBackground || !request.contains("only-if-cached"))
            if case .part(let range) = reuse.form { #expect(range.upperBound <= 5 && !range.isEmpty) }
        case .send(let forward):
            #expect(!request.contains("only-if-cached"))
            #expect(forward.fallback == nil || !response.contains("must-revalidate"))
            #expect(forward.mayStore == !request.contains("no-store") || forward.reason == .bypass)
        case .refuse:
            #expect(request.contains("only-if-cached"))
        }
    }
}
