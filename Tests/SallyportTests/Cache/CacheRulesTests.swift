import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import Sallyport

private let now = CacheClock.start
private let digestKey = Data(repeating: 1, count: 32)

/// Returns fields from lines such as `Age: 1`.
private func fields(_ lines: [String]) -> HTTPFields { HttpRequest("GET", "https://example.com/", lines).fields }

/// Returns a stored response.
private func entry(_ lines: [String], status: Int = 200, at time: Date = now, request: [String] = []) throws
    -> HttpCacheEntry
{
    let request = CacheRequest(method: .get, fields: fields(request), digestKey: digestKey)
    let variant = try #require(CacheVariant(of: fields(lines), to: request))
    let head = HttpCacheHead(
        url: "https://example.com/",
        variant: variant.digest,
        varyingFields: variant.names,
        status: status,
        fields: fields(lines),
        requestTime: time,
        responseTime: time
    )
    return HttpCacheEntry(key: HttpCacheKey(resource: "", partition: ""), head: head, bodyLength: 5)
}

@Suite(.concurrencyLimited) struct CacheRulesTests {
    private let rules = CacheRules()

    private func request(_ lines: [String] = [], method: HTTPRequest.Method = .get) -> CacheRequest {
        CacheRequest(method: method, fields: fields(lines), digestKey: digestKey)
    }

    private func forward(_ decision: CacheDecision) throws -> CacheForward {
        guard case .send(let forward) = decision else { throw UnexpectedDecision(decision: decision) }
        return forward
    }

    private struct UnexpectedDecision: Error {
        let decision: CacheDecision
    }

    @Test func `The most recent matching response is selected`() throws {
        let old = try entry(["Date: \(httpDate(-20))", "Cache-Control: max-age=60"], at: now)
        let new = try entry(["Date: \(httpDate(-10))", "Cache-Control: max-age=60"], at: now)
        let other = try entry(["Date: \(httpDate(0))", "Vary: X-A"], request: ["X-A: 1"])
        #expect(CacheRules.selected(from: [new, old, other], by: request()) == new)
        #expect(CacheRules.selected(from: [other], by: request()) == nil)
    }

    @Test func `The oldest of 64 variants is removed before a further one is stored`() throws {
        var entries = try (0..<63).map { number in
            try entry(["Vary: X-A"], at: now.addingTimeInterval(-Double(number)), request: ["X-A: \(number)"])
        }
        #expect(try forward(rules.decide(request(), entries, at: now)).surplus == [])
        let oldest = try entry(["Vary: X-A"], at: now.addingTimeInterval(-100), request: ["X-A: 64"])
        entries.insert(oldest, at: 5)
        let forward = try forward(rules.decide(request(), entries, at: now))
        #expect(forward.reason == .varyMiss)
        #expect(forward.surplus == [oldest])
    }

    @Test func `A request with a body passes the cache`() throws {
        let stored = try entry(["Cache-Control: max-age=60"])
        let request = CacheRequest(method: .get, fields: [:], hasBody: true, digestKey: digestKey)
        let forward = try forward(rules.decide(request, [stored], at: now))
        #expect(forward.reason == .bypass)
        #expect(!forward.mayStore)
    }

    @Test func `A response is stale if the clock has been set back`() throws {
        let stored = try entry(["Cache-Control: max-age=60", "ETag: \"a\""])
        let forward = try forward(rules.decide(request(), [stored], at: now.addingTimeInterval(-3_600)))
        #expect(forward.reason == .stale)
        #expect(forward.conditions == [.ifNoneMatch: "\"a\""])
    }

    @Test func `The time that a response took is part of its age`() throws {
        var head = try entry(["Cache-Control: max-age=60", "Age: 10"]).head
        head.requestTime = now.addingTimeInterval(-5)
        #expect(CacheFreshness(head, at: now.addingTimeInterval(7), heuristicLimit: 0).age == 22)
    }

    @Test func `An estimated lifetime has the limit of the cache`() throws {
        let stored = try entry(["Last-Modified: \(httpDate(-1_000))"])
        #expect(CacheFreshness(stored.head, at: now, heuristicLimit: 50).lifetime == 50)
        #expect(CacheFreshness(stored.head, at: now, heuristicLimit: 0).lifetime == 0)
    }

    @Test func `Head requests are not validated with conditions`() throws {
        let stored = try entry(["Cache-Control: no-cache", "ETag: \"a\""])
        let forward = try forward(rules.decide(request(method: .head), [stored], at: now))
        #expect(forward.conditions.isEmpty)
        #expect(forward.entry == stored)
        #expect(!forward.mayStore)
    }

    @Test func `A 304 for a condition of the app updates the response that it identifies`() throws {
        let stored = try entry(["Cache-Control: max-age=0", "ETag: \"a\""])
        let own = request(["If-None-Match: \"a\""])
        let forward = try forward(rules.decide(own, [stored], at: now))
        func outcome(_ lines: [String]) -> CacheOutcome {
            let response = CacheResponse(status: 304, fields: fields(lines), requestTime: now, responseTime: now)
            return rules.outcome(of: response, to: own, forward)
        }
        guard case .passAndUpdate(stored, let head) = outcome(["ETag: \"a\"", "Cache-Control: max-age=60"]) else {
            Issue.record("not updated")
            return
        }
        #expect(head.fields[.cacheControl] == "max-age=60")
        #expect(outcome(["ETag: \"b\""]) == .pass(storing: nil, problem: nil))
        #expect(outcome([]) == .pass(storing: nil, problem: nil))
    }

    @Test func `Challenges, failed preconditions and informational responses are never stored`() {
        for status in [100, 101, 103, 304, 401, 407, 412, 416] {
            let head = CacheResponse(
                status: status,
                fields: fields(["Cache-Control: max-age=60", "ETag: \"a\""]),
                requestTime: now,
                responseTime: now
            )
            #expect(rules.storingProblem(of: head, to: request()) == "status")
        }
    }

    @Test(
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-4", 0..<5), ("bytes=0-9", 0..<5), ("bytes=1-", 1..<5), ("bytes=-1", 4..<5),
            ("bytes=-9", 0..<5), ("BYTES=0-1", 0..<2), ("bytes= 0-1", 0..<2), ("bytes=5-", nil), ("bytes=-0", nil),
            ("bytes=-", nil), ("bytes=", nil), ("bytes=a-b", nil), ("bytes=2-1", nil), ("bytes=0-1,2-3", nil),
            ("bytes=0-1-2", nil), ("items=0-1", nil), ("bytes=99999999999999999999-", nil), ("bytes=+1-2", nil),
            ("bytes=1-99999999999999999999", 1..<5), ("bytes=-99999999999999999999", 0..<5),
        ] as [(String, Range<Int64>?)]
    )
    func `A single range is parsed strictly`(field: String, range: Range<Int64>?) {
        if let range {
            #expect(ByteRange(field, of: 5) == .part(range))
        } else {
            let isUnsatisfiable = ["bytes=5-", "bytes=-0", "bytes=99999999999999999999-"].contains(field)
            #expect(ByteRange(field, of: 5) == (isUnsatisfiable ? .unsatisfiable : .complete))
        }
    }

    /// The codings that a request accepts, those of the stored response to it, the codings that another request accepts, and the outcome.
    @Test(
        arguments: [
            (nil, "gzip", nil, true), ("gzip", "gzip", nil, false), (nil, "gzip", "gzip", false),
            ("gzip", "gzip", "*", true), ("gzip", "gzip", "gzip;q=0", false), ("gzip", "gzip", "gzip; Q=0.000", false),
            ("gzip", "gzip", "*;q=0", false), ("gzip", "gzip", "*, gzip;q=0", false),
            ("gzip", "gzip", "*;q=0, gzip;q=0.1", true), ("gzip, br", "gzip, br", "gzip", false),
            ("br", "x-mirror", "br", true), ("br", "x-mirror", "gzip", false), ("gzip", "x-gzip", "X-GZip", true),
            (nil, "", "identity;q=0", false), (nil, "", "*;q=0", false), (nil, "", "*;q=0, identity", true),
            (nil, "", "gzip;q=0", true), ("gzip", "gzip", "", false), (nil, "", "", true), ("", "gzip", "", true),
            ("gzip", "gzip", "br, gzip", true),
        ] as [(String?, String, String?, Bool)]
    )
    func `A stored response is selected if the request accepts its codings, or is the same`(
        first: String?,
        codings: String,
        second: String?,
        isSelected: Bool
    ) throws {
        func lines(_ accepted: String?) -> [String] { accepted.map { ["Accept-Encoding: \($0)"] } ?? [] }
        let response = ["Cache-Control: max-age=60"] + (codings.isEmpty ? [] : ["Content-Encoding: \(codings)"])
        let stored = try entry(response, request: lines(first))
        #expect((CacheRules.selected(from: [stored], by: request(lines(second))) != nil) == isSelected)
    }

    /// The languages of a request, that of the stored response to it, the languages of another request, and the outcome.
    @Test(
        arguments: [
            ("en, de", nil, "en, de", true), ("en, de", nil, "de, en", true), ("en, de", nil, "eN, De", true),
            ("en, de", nil, " en ,   de", true), ("en, de", nil, "en, de;q=0.5", false),
            ("en;q=1.000, de;q=0.50", nil, "de;q=0.5, en", true), ("en", nil, "de", false), ("en", nil, nil, false),
            ("en, de", "de", "fr;q=0.5, de;q=1.0", true), ("en, de", "de", "en, de;q=0.9", false),
            ("en, de", "de", "fr, de", true), ("en, de", "de", "de-CH, en", false), ("de", "de-CH", "de", true),
            ("de", "de-CH", "de;q=0.5, en;q=0.4", true), ("de", "DE-ch", "de, de-CH;q=0.1", false),
            ("de", "den", "den, de", false), ("en", "de", "de", false), ("*", "de", "de", true),
            ("de", "de", "*, de;q=0.1", false), ("de", "de, en", "de, fr", false), ("de;q=0", "de", "de;q=0", true),
            ("de;q=x", "de", "de;q=x", true), ("de;q=x", "de", "de", false), ("de;level=1", nil, "de", false),
        ] as [(String, String?, String?, Bool)]
    )
    func `A stored response is selected if the request prefers the same languages, or no other to that of the response`(
        first: String,
        language: String?,
        second: String?,
        isSelected: Bool
    ) throws {
        let response = ["Vary: Accept-Language"] + (language.map { ["Content-Language: \($0)"] } ?? [])
        let stored = try entry(response, request: ["Accept-Language: \(first)"])
        let lines = second.map { ["Accept-Language: \($0)"] } ?? []
        #expect((CacheRules.selected(from: [stored], by: request(lines)) != nil) == isSelected)
    }

    @Test func `An empty body has no range`() {
        #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", of: 0) == .unsatisfiable)
    }

    @Test func `The digests of different lists differ`() {
        let lists = [[], [""], ["", ""], ["a", "b"], ["ab"], ["a,b"], ["a", ""], ["", "a"], ["1:a"]]
        let digests = lists.flatMap { [CacheDigest.of($0), CacheDigest.of($0, key: digestKey)] }
        #expect(Set(digests).count == 2 * lists.count)
        #expect(digests.allSatisfy(CacheLayout.isDigest))
        #expect(CacheDigest.of(["a"], key: digestKey) != CacheDigest.of(["a"], key: CacheDigest.makeKey()))
    }

    @Test func `A cache status is a member of Cache-Status`() {
        var status = HttpCacheStatus()
        #expect(status.description == "Sallyport")
        status.forward = .varyMiss
        status.forwardStatus = 200
        status.timeToLive = -1
        status.isStored = true
        status.detail = "no-cache"
        #expect(status.description == "Sallyport; fwd=vary-miss; fwd-status=200; ttl=-1; stored; detail=no-cache")
        #expect(HttpCacheStatus(isHit: true).description == "Sallyport; hit")
    }
}

@Suite(.concurrencyLimited) struct CacheDirectivesTests {
    private func directives(_ lines: String...) -> CacheDirectives {
        CacheDirectives(fields(lines.map { "Cache-Control: \($0)" }))
    }

    @Test func `A directive in a quoted string is not found`() {
        #expect(!directives("a=\"b, no-store\"").contains("no-store"))
        #expect(!directives("a=\"b\\\", no-store\"").contains("no-store"))
    }

    @Test func `A quoted string that does not end contains the rest of its line only`() {
        let directives = directives("a=\"b, max-age=1", "no-store")
        #expect(!directives.contains("max-age"))
        #expect(directives.contains("no-store"))
    }

    @Test func `Durations are the most restrictive ones`() {
        let directives = directives("max-age=5, max-age=3", "max-age=4, min-fresh=5, min-fresh=7, min-fresh=x")
        #expect(directives.seconds("max-age") == 3)
        #expect(directives.longestSeconds("min-fresh") == 7)
        #expect(directives.seconds("max-stale") == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("60", 60), ("007", 7), ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648),
            ("99999999999999999999", 2_147_483_648), ("", nil), ("-1", nil), ("+1", nil), ("1.0", nil), (" 1", nil),
            ("1s", nil), ("١", nil),
        ] as [(String, Int?)]
    )
    func `A number of seconds has digits only`(text: String, seconds: Int?) {
        #expect(CacheDirectives.seconds(text) == seconds)
    }

    @Test func `Field names in an argument are parsed`() {
        let directives = directives("no-cache=\" Set-Cookie , ,,X-B\"", "no-cache=X-C")
        #expect(directives.fieldNames("no-cache").map(\.canonicalName) == ["set-cookie", "x-b", "x-c"])
        #expect(!directives.appliesToCompleteResponse("no-cache"))
        #expect(!directives.appliesToCompleteResponse("private"))
    }

    @Test(
        arguments: [
            "no-cache", "no-cache=", "no-cache=\"\"", "no-cache=\" , \"", "no-cache=\"x a\"", "no-cache=\"X-A, x a\"",
            "no-cache=\"X-A\", no-cache=\"X:B\"", "no-cache=\"X-A\", no-cache",
        ]
    )
    func `A directive without field names or with an invalid one applies to the complete response`(line: String) {
        #expect(directives(line).appliesToCompleteResponse("no-cache"))
    }
}
