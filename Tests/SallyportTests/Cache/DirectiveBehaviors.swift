private typealias Row = CacheBehavior

private let fresh = "Cache-Control: max-age=60"
private let tag = "ETag: \"a\""
private let byTag = ["If-None-Match: \"a\""]
private let atRequest = CacheBehavior.Outcome.validated(by: byTag, .request)
private let asStale = CacheBehavior.Outcome.validated(by: byTag)

/// Returns a behaviour of a request with directives, for a response with a lifetime of 60 seconds and a validator.
private func request(
    _ section: String,
    _ rule: String,
    _ directives: String,
    after seconds: Int,
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    Row(section, rule, [fresh, tag], after: seconds, request: ["Cache-Control: \(directives)"], outcome)
}

/// Returns a behaviour of a response with directives and a validator.
private func response(
    _ section: String,
    _ rule: String,
    _ directives: String,
    after seconds: Int = 0,
    request: [String] = [],
    answer: (status: Int, fields: [String])? = nil,
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    Row(
        section,
        rule,
        ["Cache-Control: \(directives)", tag],
        after: seconds,
        request: request,
        answer: answer,
        outcome
    )
}

/// Behaviours of section 5.2 and of RFC 5861 and RFC 8246.
let directiveBehaviors: [CacheBehavior] = requestDirectives + onlyIfCached + responseDirectives + extensions

private let requestDirectives: [CacheBehavior] = [
    request("5.2.1.1", "max-age accepts a younger response", "max-age=10", after: 5, .hit(ttl: 55)),
    request("5.2.1.1", "max-age accepts a response of this age", "max-age=10", after: 10, .hit(ttl: 50)),
    request("5.2.1.1", "max-age refuses an older response", "max-age=10", after: 11, atRequest),
    request("5.2.1.1", "max-age=0 refuses a response of a second", "max-age=0", after: 1, atRequest),
    request("5.2.1.1", "An invalid max-age is zero", "max-age=abc", after: 1, atRequest),
    request("5.2.1.1", "The smaller max-age counts", "max-age=50, max-age=5", after: 10, atRequest),
    request(
        "5.2.1.2",
        "max-stale accepts a stale response",
        "max-stale",
        after: 70,
        .hit(ttl: -10, detail: "max-stale")
    ),
    request(
        "5.2.1.2",
        "max-stale accepts this staleness",
        "max-stale=10",
        after: 70,
        .hit(ttl: -10, detail: "max-stale")
    ),
    request("5.2.1.2", "max-stale refuses more staleness", "max-stale=9", after: 70, asStale),
    request("5.2.1.2", "The smaller max-stale counts", "max-stale=20, max-stale=5", after: 70, asStale),
    request("5.2.1.2", "An invalid max-stale is zero", "max-stale=abc", after: 70, asStale),
    request("5.2.1.2", "max-age limits max-stale", "max-stale, max-age=60", after: 70, asStale),
    request("5.2.1.2", "max-stale does not matter for a fresh response", "max-stale=10", after: 50, .hit(ttl: 10)),
    request("5.2.1.3", "min-fresh accepts a longer lifetime", "min-fresh=30", after: 20, .hit(ttl: 40)),
    request("5.2.1.3", "min-fresh accepts this lifetime", "min-fresh=40", after: 20, .hit(ttl: 40)),
    request("5.2.1.3", "min-fresh refuses a shorter lifetime", "min-fresh=41", after: 20, atRequest),
    request("5.2.1.3", "The greater min-fresh counts", "min-fresh=10, min-fresh=50", after: 20, atRequest),
    request("5.2.1.3", "min-fresh refuses a stale response", "min-fresh=1, max-stale", after: 70, asStale),
    request("5.2.1.4", "no-cache requires validation", "no-cache", after: 1, atRequest),
    request("5.2.1.4", "no-cache wins over max-stale", "no-cache, max-stale", after: 70, asStale),
    Row(
        "5.2.1.4",
        "no-cache without validators sends the request",
        [fresh],
        request: ["Cache-Control: no-cache"],
        .sent(.request, detail: "not-fresh")
    ),
    request("5.2.1.5", "no-store sends the request", "no-store", after: 1, .sent(.bypass, detail: "no-store")),
    request("5.2.1.6", "no-transform changes nothing", "no-transform", after: 1, .hit(ttl: 59)),
    request("5.2.3", "Unknown directives change nothing", "foo, bar=1", after: 1, .hit(ttl: 59)),
    Row("5.4", "Pragma: no-cache requires validation", [fresh, tag], request: ["Pragma: no-cache"], atRequest),
    Row(
        "5.4",
        "Pragma is ignored beside Cache-Control",
        [fresh, tag],
        request: ["Pragma: no-cache", "Cache-Control: max-age=100"],
        .hit(ttl: 60)
    ),
    Row("5.4", "Other pragmas are ignored", [fresh, tag], request: ["Pragma: foo"], .hit(ttl: 60)),
    Row("5.4", "Pragma in a response is ignored", [fresh, tag, "Pragma: no-cache"], .hit(ttl: 60)),
    Row(
        "5.5",
        "Warning is a field like others",
        [fresh, "Warning: 110 - \"stale\""],
        with: ["Warning: 110 - \"stale\""],
        .hit(ttl: 60)
    ),
]

private let onlyIfCached: [CacheBehavior] = [
    request("5.2.1.7", "A fresh response is returned", "only-if-cached", after: 1, .hit(ttl: 59)),
    request("5.2.1.7", "A stale response is not", "only-if-cached", after: 70, .refused),
    request(
        "5.2.1.7",
        "A stale response is returned with max-stale",
        "only-if-cached, max-stale",
        after: 70,
        .hit(ttl: -10, detail: "max-stale")
    ),
    request("5.2.1.7", "A response that needs validation is not", "only-if-cached, no-cache", after: 1, .refused),
    request("5.2.1.7", "A response that is too old is not", "only-if-cached, max-age=5", after: 10, .refused),
    request(
        "5.2.1.7",
        "no-store and only-if-cached exclude everything",
        "only-if-cached, no-store",
        after: 1,
        .refused
    ),
    Row(
        "5.2.1.7",
        "Without a stored response, 504 is returned",
        [],
        request: ["Cache-Control: only-if-cached"],
        .refused
    ),
    Row(
        "5.2.1.7",
        "Without a matching variant, 504 is returned",
        [fresh, "Vary: X-A"],
        request: ["X-A: 1", "Cache-Control: only-if-cached"],
        .refused
    ),
    Row(
        "5.2.1.7",
        "Another method is not sent",
        [fresh],
        method: "POST",
        request: ["Cache-Control: only-if-cached"],
        .refused
    ),
    Row(
        "5.2.1.7",
        "HEAD is answered",
        [fresh],
        method: "HEAD",
        request: ["Cache-Control: only-if-cached"],
        .hit(ttl: 60)
    ),
]

private let responseDirectives: [CacheBehavior] = [
    response(
        "5.2.2.2",
        "must-revalidate allows a fresh response",
        "max-age=60, must-revalidate",
        after: 59,
        .hit(ttl: 1)
    ),
    response(
        "5.2.2.2",
        "must-revalidate requires validation of a stale one",
        "max-age=60, must-revalidate",
        after: 60,
        asStale
    ),
    response(
        "5.2.2.2",
        "must-revalidate wins over max-stale",
        "max-age=60, must-revalidate",
        after: 70,
        request: ["Cache-Control: max-stale"],
        asStale
    ),
    response(
        "5.2.2.2",
        "must-revalidate wins over stale-while-revalidate",
        "max-age=60, must-revalidate, stale-while-revalidate=60",
        after: 70,
        asStale
    ),
    response("5.2.2.4", "no-cache requires validation of a fresh response", "max-age=60, no-cache", asStale),
    response(
        "5.2.2.4",
        "no-cache wins over max-stale",
        "max-age=60, no-cache",
        after: 70,
        request: ["Cache-Control: max-stale"],
        asStale
    ),
    response("5.2.2.4", "no-cache with an empty list has no fields", "max-age=60, no-cache=\"\"", asStale),
    response("5.2.2.4", "no-cache with an invalid field has no fields", "max-age=60, no-cache=\"X-A, x a\"", asStale),
    response("5.2.2.4", "no-cache wins over no-cache with fields", "max-age=60, no-cache=\"X-A\", no-cache", asStale),
    Row(
        "5.2.2.4",
        "no-cache without validators sends the request",
        ["Cache-Control: max-age=60, no-cache"],
        .sent(.stale, detail: "not-fresh")
    ),
    Row(
        "5.2.2.4",
        "no-cache with fields omits them",
        ["Cache-Control: max-age=60, no-cache=\"X-A, X-B\"", "X-A: 1", "X-B: 1", "X-C: 1"],
        with: ["X-C: 1"],
        lacking: ["X-A", "X-B"],
        .hit(ttl: 60)
    ),
    Row(
        "5.2.2.4",
        "no-cache with a field as a token omits it",
        ["Cache-Control: max-age=60, no-cache=X-A", "X-A: 1"],
        lacking: ["X-A"],
        .hit(ttl: 60)
    ),
    Row(
        "5.2.2.4",
        "After validation, the fields are returned",
        ["Cache-Control: max-age=60, no-cache=\"X-A\"", tag, "X-A: 1"],
        after: 60,
        with: ["X-A: 1"],
        asStale
    ),
    response("5.2.2.6", "no-transform changes nothing", "max-age=60, no-transform", .hit(ttl: 60)),
    response(
        "5.2.2.8",
        "proxy-revalidate is for shared caches",
        "max-age=60, proxy-revalidate",
        after: 70,
        request: ["Cache-Control: max-stale"],
        .hit(ttl: -10, detail: "max-stale")
    ),
    response(
        "5.2.2.10",
        "s-maxage does not forbid a stale response",
        "max-age=60, s-maxage=60",
        after: 70,
        request: ["Cache-Control: max-stale"],
        .hit(ttl: -10, detail: "max-stale")
    ),
    response("5.2.3", "Unknown directives change nothing", "max-age=60, foo=\"bar\"", .hit(ttl: 60)),
]

private let failing = (status: 503, fields: [String]())

private let extensions: [CacheBehavior] =
    [500, 502, 503, 504].map { status in
        response(
            "RFC 5861, 4",
            "stale-if-error replaces \(status)",
            "max-age=60, stale-if-error=30",
            after: 70,
            answer: (status, []),
            .stale
        )
    } + staleResponses

private let staleResponses: [CacheBehavior] = [
    response(
        "RFC 5861, 4",
        "stale-if-error ends",
        "max-age=60, stale-if-error=30",
        after: 91,
        answer: failing,
        .replaced(by: byTag)
    ),
    response(
        "RFC 5861, 4",
        "stale-if-error does not replace 404",
        "max-age=60, stale-if-error=30",
        after: 70,
        answer: (404, []),
        .replaced(by: byTag)
    ),
    response(
        "RFC 5861, 4",
        "A request allows stale-if-error",
        "max-age=60",
        after: 70,
        request: ["Cache-Control: stale-if-error=30"],
        answer: failing,
        .stale
    ),
    response(
        "RFC 5861, 4",
        "must-revalidate forbids it",
        "max-age=60, stale-if-error=30, must-revalidate",
        after: 70,
        answer: failing,
        .replaced(by: byTag)
    ),
    response(
        "RFC 5861, 4",
        "no-cache forbids it",
        "max-age=60, stale-if-error=30, no-cache",
        after: 70,
        answer: failing,
        .replaced(by: byTag)
    ),
    response(
        "RFC 5861, 4",
        "Without it, the error is returned",
        "max-age=60",
        after: 70,
        answer: failing,
        .replaced(by: byTag)
    ),
    response("RFC 5861, 3", "stale-while-revalidate ends", "max-age=60, stale-while-revalidate=30", after: 91, asStale),
    response(
        "RFC 5861, 3",
        "max-age in a request refuses it",
        "max-age=60, stale-while-revalidate=30",
        after: 70,
        request: ["Cache-Control: max-age=100"],
        .validated(by: byTag)
    ),
    response(
        "RFC 5861, 3",
        "Without validation, only-if-cached accepts it",
        "max-age=60, stale-while-revalidate=30",
        after: 70,
        request: ["Cache-Control: only-if-cached"],
        .hit(ttl: -10, detail: "stale-while-revalidate")
    ),
    response(
        "RFC 8246, 2",
        "An immutable response is not validated",
        "max-age=60, immutable",
        after: 10,
        request: ["Cache-Control: max-age=0"],
        .hit(ttl: 50)
    ),
    response(
        "RFC 8246, 2",
        "no-cache validates an immutable response",
        "max-age=60, immutable",
        after: 10,
        request: ["Cache-Control: no-cache"],
        atRequest
    ),
    response("RFC 8246, 2", "A stale immutable response is validated", "max-age=60, immutable", after: 60, asStale),
]
