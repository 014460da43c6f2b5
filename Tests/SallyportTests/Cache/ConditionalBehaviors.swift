private typealias Row = CacheBehavior

private let fresh = "Cache-Control: max-age=60"
private let tag = "ETag: \"a\""
private let modified = "Last-Modified: \(httpDate(-1_000))"
private let notModified = CacheBehavior.Outcome.hit(ttl: 60, status: 304, body: "")

/// Behaviours of RFC 9110, sections 13 and 14: the app's own conditions, and ranges.
let conditionalBehaviors: [CacheBehavior] = appConditions + ranges + parts

private let appConditions: [CacheBehavior] = [
    Row(
        "9110, 13.1.2",
        "An equal tag is not modified",
        [fresh, tag],
        request: ["If-None-Match: \"a\""],
        with: [tag],
        notModified
    ),
    Row("9110, 13.1.2", "Tags are compared weakly", [fresh, tag], request: ["If-None-Match: W/\"a\""], notModified),
    Row(
        "9110, 13.1.2",
        "A stored weak tag matches",
        [fresh, "ETag: W/\"a\""],
        request: ["If-None-Match: \"a\""],
        notModified
    ),
    Row(
        "9110, 13.1.2",
        "One tag of a list matches",
        [fresh, tag],
        request: ["If-None-Match: \"b,c\", \"a\""],
        notModified
    ),
    Row("9110, 13.1.2", "An asterisk matches", [fresh, tag], request: ["If-None-Match: *"], notModified),
    Row(
        "9110, 13.1.2",
        "Another tag is answered completely",
        [fresh, tag],
        request: ["If-None-Match: \"b\""],
        .hit(ttl: 60)
    ),
    Row(
        "9110, 13.1.2",
        "A response without a tag does not match",
        [fresh],
        request: ["If-None-Match: \"a\""],
        .hit(ttl: 60)
    ),
    Row(
        "9110, 13.1.3",
        "A later date is not modified",
        [fresh, modified],
        request: ["If-Modified-Since: \(httpDate(-1_000))"],
        notModified
    ),
    Row(
        "9110, 13.1.3",
        "An earlier date is answered completely",
        [fresh, modified],
        request: ["If-Modified-Since: \(httpDate(-1_001))"],
        .hit(ttl: 60)
    ),
    Row(
        "9111, 4.3.2",
        "Without Last-Modified, Date counts",
        [fresh, "Date: \(httpDate(0))"],
        request: ["If-Modified-Since: \(httpDate(0))"],
        notModified
    ),
    Row(
        "9110, 13.1.3",
        "An invalid date is ignored",
        [fresh, modified],
        request: ["If-Modified-Since: tomorrow"],
        .hit(ttl: 60)
    ),
    Row(
        "9110, 13.2.2",
        "A tag wins over a date",
        [fresh, tag, modified],
        request: ["If-None-Match: \"b\"", "If-Modified-Since: \(httpDate(0))"],
        .hit(ttl: 60)
    ),
    Row(
        "9110, 13.2.1",
        "A condition does not apply to an error",
        [fresh, tag],
        status: 404,
        request: ["If-None-Match: \"a\""],
        .hit(ttl: 60)
    ),
    Row(
        "9110, 15.4.5",
        "304 has no fields of the body",
        [fresh, tag, "Content-Type: text/plain"],
        request: ["If-None-Match: \"a\""],
        lacking: ["Content-Type", "Content-Length"],
        notModified
    ),
    Row(
        "9111, 4.3.2",
        "A stale response leaves the condition to the server",
        [fresh, tag],
        after: 60,
        request: ["If-None-Match: \"a\""],
        answer: (304, []),
        .sent(.stale)
    ),
    Row(
        "9111, 4.3.2",
        "Without a stored response, the condition is sent",
        [],
        request: ["If-None-Match: \"a\""],
        answer: (304, []),
        .sent(.uriMiss)
    ),
    Row("9110, 13.1.1", "If-Match is left to the server", [fresh, tag], request: ["If-Match: \"a\""], .sent(.bypass)),
    Row(
        "9110, 13.1.4",
        "If-Unmodified-Since is left to the server",
        [fresh, tag],
        request: ["If-Unmodified-Since: \(httpDate(0))"],
        .sent(.bypass)
    ),
    Row(
        "9110, 13.1.2",
        "HEAD with an equal tag is not modified",
        [fresh, tag],
        method: "HEAD",
        request: ["If-None-Match: \"a\""],
        notModified
    ),
]

/// Returns a behaviour of a request for a range of the five bytes `first`.
private func range(
    _ rule: String,
    _ value: String,
    request: [String] = [],
    with: [String] = [],
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    Row("9110, 14.2", rule, [fresh, tag, modified], request: ["Range: \(value)"] + request, with: with, outcome)
}

private func part(_ body: String) -> CacheBehavior.Outcome { .hit(ttl: 60, status: 206, body: body) }

private let ranges: [CacheBehavior] = [
    range(
        "A range is a part of the stored response",
        "bytes=0-1",
        with: ["Content-Range: bytes 0-1/5", "Content-Length: 2"],
        part("fi")
    ),
    range("A range can have no end", "bytes=2-", with: ["Content-Range: bytes 2-4/5"], part("rst")),
    range("A range can be a suffix", "bytes=-2", with: ["Content-Range: bytes 3-4/5"], part("st")),
    range("A suffix can be longer than the body", "bytes=-10", with: ["Content-Range: bytes 0-4/5"], part("first")),
    range("The end of a range is limited", "bytes=3-100", with: ["Content-Range: bytes 3-4/5"], part("st")),
    range("A range can be one byte", "bytes=4-4", part("t")),
    range("The unit is not case-sensitive", "Bytes=0-1", part("fi")),
    range("A range after the end is left to the server", "bytes=5-", .sent(.bypass, detail: "range")),
    range("Several ranges are left to the server", "bytes=0-1,3-4", .sent(.bypass, detail: "range")),
    range("Another unit is left to the server", "items=0-1", .sent(.bypass, detail: "range")),
    range("An invalid range is left to the server", "bytes=3-1", .sent(.bypass, detail: "range")),
    range("An empty suffix is left to the server", "bytes=-0", .sent(.bypass, detail: "range")),
    range("If-Range with the same tag allows the range", "bytes=0-1", request: ["If-Range: \"a\""], part("fi")),
    range("If-Range with another tag is answered completely", "bytes=0-1", request: ["If-Range: \"b\""], .hit(ttl: 60)),
    range(
        "If-Range with a weak tag is answered completely",
        "bytes=0-1",
        request: ["If-Range: W/\"a\""],
        .hit(ttl: 60)
    ),
    range(
        "If-Range with the same date allows the range",
        "bytes=0-1",
        request: ["If-Range: \(httpDate(-1_000))"],
        part("fi")
    ),
    range(
        "If-Range with another date is answered completely",
        "bytes=0-1",
        request: ["If-Range: \(httpDate(0))"],
        .hit(ttl: 60)
    ),
    range("A condition comes before the range", "bytes=0-1", request: ["If-None-Match: \"a\""], notModified),
    Row(
        "9110, 14.2",
        "A range of a stale response is requested",
        [fresh, tag],
        after: 60,
        request: ["Range: bytes=0-1"],
        .sent(.stale)
    ),
    Row(
        "9110, 14.3",
        "A range is left to the server if it accepts none",
        [fresh, tag, "Accept-Ranges: none"],
        request: ["Range: bytes=0-1"],
        .sent(.bypass, detail: "range")
    ),
    Row("9110, 14.2", "HEAD has no range", [fresh], method: "HEAD", request: ["Range: bytes=0-1"], .hit(ttl: 60)),
    Row("9110, 14.2", "An error has no range", [fresh], status: 404, request: ["Range: bytes=0-1"], .hit(ttl: 60)),
    Row(
        "9111, 3.3",
        "The complete response to a range is stored",
        [],
        between: .init(request: ["Range: bytes=0-1"], fields: [fresh]),
        .hit(ttl: 60, body: "other")
    ),
]

/// Returns a behaviour after the five bytes `other` have been received for `bytes=4-8`.
private func stored(
    _ rule: String,
    _ contentRange: String = "bytes 4-8/10",
    also fields: [String] = [],
    after: Int = 0,
    method: String = "GET",
    request: [String],
    with: [String] = [],
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    let first = CacheBehavior.Between(
        request: ["Range: bytes=4-8", "X-A: 1"],
        status: 206,
        fields: [fresh, "Content-Range: \(contentRange)"] + fields
    )
    return Row(
        "9111, 3.3",
        rule,
        [],
        between: first,
        after: after,
        method: method,
        request: request,
        with: with,
        outcome
    )
}

private let parts: [CacheBehavior] = [
    stored(
        "The same range is answered",
        request: ["Range: bytes=4-8"],
        with: ["Content-Range: bytes 4-8/10"],
        part("other")
    ),
    stored(
        "A range in a stored part is answered",
        request: ["Range: bytes=5-7"],
        with: ["Content-Range: bytes 5-7/10", "Content-Length: 3"],
        part("the")
    ),
    stored("A range with an end after the part is sent", request: ["Range: bytes=5-9"], .sent(.partial)),
    stored("A range with a start before the part is sent", request: ["Range: bytes=3-5"], .sent(.partial)),
    stored("A range without an end is sent", request: ["Range: bytes=5-"], .sent(.partial)),
    stored("A suffix of the part is answered", "bytes 5-9/10", request: ["Range: bytes=-2"], part("er")),
    stored("The rest of the part is answered", "bytes 5-9/10", request: ["Range: bytes=6-"], part("ther")),
    stored("A range that contains the part is sent", "bytes 5-9/10", request: ["Range: bytes=-6"], .sent(.partial)),
    stored(
        "Bytes that were not received are not part of it",
        "bytes 4-9/10",
        request: ["Range: bytes=6-8"],
        part("her")
    ),
    stored(
        "A range of bytes that were not received is sent",
        "bytes 4-9/10",
        request: ["Range: bytes=6-9"],
        .sent(.partial)
    ),
    stored("More bytes than stated are not stored", "bytes 4-7/10", request: ["Range: bytes=4-5"], .sent(.uriMiss)),
    stored("A part of unknown length is not stored", "bytes 4-8/*", request: ["Range: bytes=4-8"], .sent(.uriMiss)),
    stored(
        "A part with an invalid range is not stored",
        "bytes 8-4/10",
        request: ["Range: bytes=4-8"],
        .sent(.uriMiss)
    ),
    stored(
        "A part with two ranges is not stored",
        also: ["Content-Range: bytes 0-4/10"],
        request: ["Range: bytes=4-8"],
        .sent(.uriMiss)
    ),
    stored(
        "An encoded part is not stored",
        also: ["Content-Encoding: x-mirror"],
        request: ["Range: bytes=4-8"],
        .sent(.uriMiss)
    ),
    stored("The complete response is sent", request: [], .sent(.partial)),
    stored("HEAD is sent", method: "HEAD", request: [], .sent(.partial)),
    stored("A stale part is requested again", after: 60, request: ["Range: bytes=4-8"], .sent(.stale)),
    stored(
        "If-Range with the same tag allows the part",
        also: [tag],
        request: ["Range: bytes=5-5", "If-Range: \"a\""],
        part("t")
    ),
    stored(
        "If-Range with another tag is sent",
        also: [tag],
        request: ["Range: bytes=5-5", "If-Range: \"b\""],
        .sent(.partial)
    ),
    stored("If-Range without a stored tag is sent", request: ["Range: bytes=4-8", "If-Range: \"a\""], .sent(.partial)),
    stored(
        "A condition comes before the part",
        also: [tag],
        request: ["Range: bytes=5-5", "If-None-Match: \"a\""],
        notModified
    ),
    stored(
        "A part is selected by Vary",
        also: ["Vary: X-A"],
        request: ["Range: bytes=5-6", "X-A: 1"],
        part("th")
    ),
    stored(
        "A part is not selected by other fields",
        also: ["Vary: X-A"],
        request: ["Range: bytes=4-8"],
        .sent(.varyMiss)
    ),
    stored(
        "only-if-cached refuses what is not in the part",
        request: ["Range: bytes=0-5", "Cache-Control: only-if-cached"],
        .refused
    ),
    Row(
        "9110, 15.3.7",
        "A part that was not requested is not stored",
        [],
        between: .init(status: 206, fields: [fresh, "Content-Range: bytes 4-8/10"]),
        request: ["Range: bytes=4-8"],
        .sent(.uriMiss)
    ),
]
