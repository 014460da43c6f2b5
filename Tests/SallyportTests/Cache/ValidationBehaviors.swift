private typealias Row = CacheBehavior

private let fresh = "Cache-Control: max-age=60"
private let stale = "Cache-Control: max-age=0"
private let tag = "ETag: \"a\""
private let byTag = ["If-None-Match: \"a\""]
private let modified = "Last-Modified: \(httpDate(-1_000))"
private let byDate = ["If-Modified-Since: \(httpDate(-1_000))"]

/// Behaviours of sections 3.2, 4.3 and 4.4: validation, updates, and invalidation.
let validationBehaviors: [CacheBehavior] = conditions + replacements + updates + headUpdates + invalidation

private let conditions: [CacheBehavior] = [
    Row("4.3.1", "A response is validated by its entity tag", [stale, tag], after: 1, .validated(by: byTag)),
    Row("4.3.1", "A response is validated by its date", [stale, modified], after: 1, .validated(by: byDate)),
    Row("4.3.1", "Both validators are sent", [stale, tag, modified], after: 1, .validated(by: byTag + byDate)),
    Row("4.3.1", "A weak tag is sent", [stale, "ETag: W/\"a\""], .validated(by: ["If-None-Match: W/\"a\""])),
    Row("4.3.1", "A response without validators is requested again", [fresh], after: 60, .sent(.stale)),
    Row(
        "4.3.3",
        "Another response replaces the stored one",
        [stale, tag],
        answer: (200, [fresh]),
        .replaced(by: byTag)
    ),
    Row("4.3.3", "The error of a server is returned", [stale, tag], answer: (500, []), .replaced(by: byTag)),
    Row("4.3.3", "404 is returned", [stale, tag], answer: (404, []), .replaced(by: byTag)),
    Row(
        "4.3.3",
        "The new response is returned later",
        [stale, tag],
        between: .init(fields: [fresh]),
        .hit(ttl: 60, body: "other")
    ),
    Row("4.3.4", "A 304 with the same tag confirms", [stale, tag], answer: (304, [tag]), .validated(by: byTag)),
    Row(
        "4.3.4",
        "A 304 with the same date confirms",
        [stale, modified],
        answer: (304, [modified]),
        .validated(by: byDate)
    ),
    Row(
        "4.3.4",
        "A weak tag confirms a weak tag",
        [stale, "ETag: W/\"a\""],
        answer: (304, ["ETag: W/\"a\""]),
        .validated(by: ["If-None-Match: W/\"a\""])
    ),
    Row(
        "4.3.4",
        "The cookies of a 304 are returned",
        [stale, tag],
        answer: (304, ["Set-Cookie: a=b"]),
        with: ["Set-Cookie: a=b"],
        .validated(by: byTag)
    ),
    Row(
        "4.3.4",
        "The nonces of a 304 are returned, but not its proof",
        [stale, tag, "DPoP-Nonce: 1", "Authentication-Info: nextnonce=\"1\""],
        answer: (304, ["DPoP-Nonce: 2", "Authentication-Info: qop=auth-int, rspauth=\"ab\", nextnonce=\"2\""]),
        with: ["DPoP-Nonce: 2", "Authentication-Info: nextnonce=\"2\""],
        .validated(by: byTag)
    ),
    Row(
        "4.3.4",
        "Authentication-Info of a 304 without a nonce is not returned",
        [stale, tag],
        answer: (304, ["Authentication-Info: qop=auth-int, rspauth=\"ab\""]),
        lacking: ["Authentication-Info", "DPoP-Nonce"],
        .validated(by: byTag)
    ),
]

/// Returns a behaviour in which a reload receives a response before the second request.
private func reloaded(
    _ rule: String,
    stored: [String] = [fresh],
    request: [String] = ["Cache-Control: no-cache"],
    status: Int = 200,
    fields: [String] = [],
    answer: (status: Int, fields: [String])? = nil,
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    let between = CacheBehavior.Between(request: request, status: status, fields: fields)
    return Row("4", rule, stored, between: between, answer: answer, outcome)
}

private let replacements: [CacheBehavior] = [
    reloaded("no-store to a reload removes the response", fields: ["Cache-Control: no-store"], .sent(.uriMiss)),
    reloaded("A response to a reload that is not fresh removes it", .sent(.uriMiss)),
    reloaded("A response to a reload with a secret removes it", fields: [fresh, "X-API-Key: a"], .sent(.uriMiss)),
    reloaded("A response to a reload with Vary: * removes it", fields: [fresh, "Vary: *"], .sent(.uriMiss)),
    reloaded("A redirection to a reload removes it", status: 302, .sent(.uriMiss)),
    reloaded("410 to a reload removes it", status: 410, .sent(.uriMiss)),
    reloaded(
        "404 to a validation removes a response with stale-if-error",
        stored: ["Cache-Control: max-age=0, stale-if-error=60", tag],
        request: [],
        status: 404,
        answer: (500, []),
        .sent(.uriMiss)
    ),
    Row(
        "5.2.1.4",
        "no-cache of a request wins over stale-if-error",
        ["Cache-Control: max-age=60, stale-if-error=30", tag],
        after: 70,
        request: ["Cache-Control: no-cache"],
        answer: (500, []),
        .replaced(by: byTag)
    ),
    reloaded("403 to a reload removes nothing", status: 403, .hit(ttl: 60)),
    reloaded("500 to a reload removes nothing", status: 500, .hit(ttl: 60)),
    reloaded(
        "A part removes nothing",
        request: ["Cache-Control: no-cache", "Range: bytes=0-4"],
        status: 206,
        fields: ["Content-Range: bytes 0-4/5"],
        .hit(ttl: 60)
    ),
    reloaded(
        "The response to a condition of the app removes nothing",
        request: ["Cache-Control: no-cache", "If-None-Match: \"b\""],
        fields: ["Cache-Control: no-store"],
        .hit(ttl: 60)
    ),
    reloaded(
        "The response to a request with no-store removes nothing",
        request: ["Cache-Control: no-store"],
        fields: ["Cache-Control: no-store"],
        .hit(ttl: 60)
    ),
]

/// Returns a behaviour in which a 304 with some fields confirms a response before the second request.
private func updated(
    _ rule: String,
    _ stored: [String],
    by fields: [String],
    after: Int = 0,
    with: [String] = [],
    lacking: [String] = [],
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    let between = CacheBehavior.Between(status: 304, fields: fields)
    return Row("3.2", rule, stored, between: between, after: after, with: with, lacking: lacking, outcome)
}

private let updates: [CacheBehavior] = [
    updated("A 304 gives a new lifetime", [stale, tag], by: [fresh], .hit(ttl: 60)),
    updated("The new lifetime ends", [stale, tag], by: [fresh], after: 60, .validated(by: byTag)),
    updated("A 304 without lifetime leaves the old one", [stale, tag], by: [], .validated(by: byTag)),
    updated("A 304 replaces fields", [stale, tag, "X-A: 1"], by: [fresh, "X-A: 2"], with: ["X-A: 2"], .hit(ttl: 60)),
    updated(
        "A 304 replaces all lines of a field",
        [stale, tag, "X-A: 1", "X-A: 2"],
        by: [fresh, "X-A: 3"],
        with: ["X-A: 3"],
        .hit(ttl: 60)
    ),
    updated("A 304 adds fields", [stale, tag], by: [fresh, "X-B: 2"], with: ["X-B: 2"], .hit(ttl: 60)),
    updated("Other fields remain", [stale, tag, "X-A: 1"], by: [fresh], with: ["X-A: 1"], .hit(ttl: 60)),
    updated(
        "Content-Type remains",
        [stale, tag, "Content-Type: text/plain"],
        by: [fresh, "Content-Type: text/html"],
        with: ["Content-Type: text/plain"],
        .hit(ttl: 60)
    ),
    updated(
        "Fields of the connection are not added",
        [stale, tag],
        by: [fresh, "Connection: X-Hop", "X-Hop: 1"],
        lacking: ["X-Hop"],
        .hit(ttl: 60)
    ),
    updated(
        "Cookies of a 304 are not stored",
        [stale, tag],
        by: [fresh, "Set-Cookie: a=b"],
        lacking: ["Set-Cookie"],
        .hit(ttl: 60)
    ),
    updated("The old Age does not count", [stale, tag, "Age: 50"], by: [fresh], .hit(ttl: 60)),
    updated("The Age of the 304 counts", [stale, tag], by: [fresh, "Age: 20"], .hit(ttl: 40)),
    updated(
        "A 304 with no-store removes the response",
        [stale, tag],
        by: ["Cache-Control: no-store"],
        .sent(.uriMiss)
    ),
    updated("A 304 with another Vary removes the response", [stale, tag], by: [fresh, "Vary: X-A"], .sent(.uriMiss)),
]

/// Returns a behaviour in which a HEAD request is sent before the second request.
private func afterHead(
    _ rule: String,
    _ fields: [String],
    status: Int = 200,
    body: String = "first",
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    let between = CacheBehavior.Between(method: "HEAD", status: status, fields: fields, body: body)
    return Row("4.3.5", rule, [stale, tag, modified], between: between, after: 1, outcome)
}

private let headUpdates: [CacheBehavior] = [
    afterHead("HEAD with the same tag updates the response", [fresh, tag], .hit(ttl: 59)),
    afterHead("HEAD without validators updates the response", [fresh], .hit(ttl: 59)),
    afterHead("HEAD with another tag removes the response", [fresh, "ETag: \"b\""], .sent(.uriMiss)),
    afterHead(
        "HEAD with another date removes the response",
        [fresh, "Last-Modified: \(httpDate(-1))"],
        .sent(.uriMiss)
    ),
    afterHead("HEAD with another length removes the response", [fresh, tag], body: "longer", .sent(.uriMiss)),
    afterHead("HEAD with no-store removes the response", ["Cache-Control: no-store", tag], .sent(.uriMiss)),
    afterHead("HEAD with an error changes nothing", [fresh], status: 404, .validated(by: byTag + byDate)),
]

/// Returns a behaviour in which another method is used before the second request.
private func after(
    _ method: String,
    _ rule: String,
    status: Int = 200,
    path: String = "/resource",
    request: [String] = [],
    fields: [String] = [],
    _ outcome: CacheBehavior.Outcome
) -> CacheBehavior {
    let between = CacheBehavior.Between(method: method, path: path, request: request, status: status, fields: fields)
    return Row("4.4", rule, [fresh], between: between, outcome)
}

private let invalidation: [CacheBehavior] = [
    after("POST", "POST removes the response", .sent(.uriMiss)),
    after("PUT", "PUT removes the response", status: 204, .sent(.uriMiss)),
    after("PATCH", "PATCH removes the response", .sent(.uriMiss)),
    after("DELETE", "DELETE removes the response", status: 204, .sent(.uriMiss)),
    after("PURGE", "An unknown method removes the response", .sent(.uriMiss)),
    after("POST", "A redirection of POST removes the response", status: 303, .sent(.uriMiss)),
    after("POST", "A refused POST removes nothing", status: 404, .hit(ttl: 60)),
    after("POST", "A failed POST removes nothing", status: 500, .hit(ttl: 60)),
    after("OPTIONS", "A safe method removes nothing", .hit(ttl: 60)),
    after("POST", "POST to another URL removes nothing", path: "/other", .hit(ttl: 60)),
    after("POST", "POST to another query removes nothing", path: "/resource?a=1", .hit(ttl: 60)),
    after(
        "POST",
        "POST removes the response of Location",
        path: "/other",
        fields: ["Location: /resource"],
        .sent(.uriMiss)
    ),
    after(
        "POST",
        "POST removes the response of Content-Location",
        path: "/other",
        fields: ["Content-Location: /resource"],
        .sent(.uriMiss)
    ),
    after(
        "POST",
        "A relative Location is resolved",
        path: "/other/a",
        fields: ["Location: ../resource"],
        .sent(.uriMiss)
    ),
    after(
        "POST",
        "POST removes no response of another origin",
        path: "/other",
        fields: ["Location: http://other.example/resource"],
        .hit(ttl: 60)
    ),
    after(
        "POST",
        "POST of one user removes the responses of all",
        request: ["Authorization: Bearer b"],
        .sent(.uriMiss)
    ),
]
