private typealias Row = CacheBehavior

private let fresh = "Cache-Control: max-age=60"
private let shared = "Cache-Control: public, max-age=60"

/// Behaviours of sections 3.5, 4 and 4.1: which stored response is selected.
let selectionBehaviors: [CacheBehavior] = resourceBehaviors + methodBehaviors + userAndVariantBehaviors

private let resourceBehaviors: [CacheBehavior] = [
    // URL and method.
    Row("2", "A fragment is not part of the key", [fresh], path: "/resource#part", .hit(ttl: 60)),
    Row("2", "The query is part of the key", [fresh], path: "/resource?a=1", .sent(.uriMiss)),
    Row("2", "The path is part of the key", [fresh], path: "/other", .sent(.uriMiss)),
    Row("2", "The path is case-sensitive", [fresh], path: "/Resource", .sent(.uriMiss)),
    Row(
        "4",
        "HEAD is answered from a response to GET",
        [fresh],
        method: "HEAD",
        with: ["Content-Length: 5"],
        .hit(ttl: 60)
    ),
    Row("4", "HEAD without a stored response is sent", [], method: "HEAD", .sent(.uriMiss)),
    Row(
        "4",
        "The response to HEAD is not stored",
        [],
        between: .init(method: "HEAD", fields: [fresh]),
        .sent(.uriMiss)
    ),
    Row("4", "A returned response has its age", [fresh], after: 20, with: ["Age: 20"], .hit(ttl: 40)),
    Row("4", "A response from the server has no Age", [], lacking: ["Age"], .sent(.uriMiss)),
]

private let methodBehaviors: [CacheBehavior] = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"].map { method in
    Row("4", "\(method) is not answered from a response to GET", [fresh], method: method, .sent(.method))
}

private let userAndVariantBehaviors: [CacheBehavior] = [
    // Users.
    Row(
        "3.5",
        "A response is returned to the same user",
        [fresh],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer a"],
        .hit(ttl: 60)
    ),
    Row(
        "3.5",
        "A response is not returned to another user",
        [fresh],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer b"],
        .sent(.uriMiss)
    ),
    Row(
        "3.5",
        "A user's response is not returned without credentials",
        [fresh],
        firstRequest: ["Authorization: Bearer a"],
        .sent(.uriMiss)
    ),
    Row(
        "3.5",
        "A response without credentials is not returned to a user",
        [fresh],
        request: ["Authorization: Bearer a"],
        .sent(.uriMiss)
    ),
    Row(
        "3.5",
        "A public response is returned to another user",
        [shared],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer b"],
        .hit(ttl: 60)
    ),
    Row(
        "3.5",
        "A public response is returned without credentials",
        [shared],
        firstRequest: ["Authorization: Bearer a"],
        .hit(ttl: 60)
    ),
    Row(
        "3.5",
        "private wins over public",
        ["Cache-Control: public, private, max-age=60"],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer b"],
        .sent(.uriMiss)
    ),
    Row(
        "3.5",
        "A public response that sets a cookie is not shared",
        [shared, "Set-Cookie: a=b"],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer b"],
        .sent(.uriMiss)
    ),
    Row(
        "3.5",
        "A public response that varies by user is not shared",
        [shared, "Vary: Authorization"],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer b"],
        .sent(.uriMiss)
    ),
    Row(
        "3.5",
        "A response to Digest credentials is not stored",
        [fresh],
        firstRequest: ["Authorization: Digest nc=00000001"],
        request: ["Authorization: Digest nc=00000001"],
        answer: (200, [fresh]),
        .sent(.uriMiss, detail: "one-time-credentials")
    ),
    Row(
        "3.5",
        "A public response to Digest credentials is stored",
        [shared],
        firstRequest: ["Authorization: Digest nc=00000001"],
        request: ["Authorization: Digest nc=00000002"],
        .hit(ttl: 60)
    ),
    Row(
        "3.5",
        "must-revalidate does not share a response",
        ["Cache-Control: must-revalidate, max-age=60"],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer b"],
        .sent(.uriMiss)
    ),
    Row(
        "3.5",
        "s-maxage does not share a response",
        ["Cache-Control: s-maxage=60, max-age=60"],
        firstRequest: ["Authorization: Bearer a"],
        request: ["Authorization: Bearer b"],
        .sent(.uriMiss)
    ),
    Row(
        "7.1",
        "A response is returned to the same session",
        [fresh],
        firstRequest: ["Cookie: id=1"],
        request: ["Cookie: id=1"],
        .hit(ttl: 60)
    ),
    Row(
        "7.1",
        "A response is not returned to another session",
        [fresh],
        firstRequest: ["Cookie: id=1"],
        request: ["Cookie: id=2"],
        .sent(.uriMiss)
    ),
    Row(
        "7.1",
        "A response is not returned to another API key",
        [fresh],
        firstRequest: ["X-API-Key: a"],
        request: ["X-API-Key: b"],
        .sent(.uriMiss)
    ),
    Row(
        "7.1",
        "DPoP proofs do not distinguish users",
        [fresh],
        firstRequest: ["Authorization: DPoP a", "DPoP: 1"],
        request: ["Authorization: DPoP a", "DPoP: 2"],
        .hit(ttl: 60)
    ),

    // Shared responses that one user validates.
    Row(
        "4.3.4",
        "A public response that a public 304 confirms is shared",
        ["Cache-Control: public, no-transform, max-age=0", "ETag: \"a\""],
        firstRequest: ["Authorization: Bearer a"],
        between: .init(request: ["Authorization: Bearer b"], status: 304, fields: [shared]),
        request: ["Authorization: Bearer c"],
        .hit(ttl: 60)
    ),
    Row(
        "4.3.4",
        "A public response that a private 304 confirms is not shared",
        ["Cache-Control: public, max-age=0", "ETag: \"a\""],
        firstRequest: ["Authorization: Bearer a"],
        between: .init(request: ["Authorization: Bearer b"], status: 304, fields: [fresh]),
        request: ["Authorization: Bearer c"],
        .sent(.uriMiss)
    ),

    // Vary.
    Row(
        "4.1",
        "Equal fields select a response",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: 1"],
        request: ["X-A: 1"],
        .hit(ttl: 60)
    ),
    Row(
        "4.1",
        "Different fields do not",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: 1"],
        request: ["X-A: 2"],
        .sent(.varyMiss)
    ),
    Row(
        "4.1",
        "A missing field differs from a present one",
        [fresh, "Vary: X-A"],
        request: ["X-A: 1"],
        .sent(.varyMiss)
    ),
    Row(
        "4.1",
        "A present field differs from a missing one",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: 1"],
        .sent(.varyMiss)
    ),
    Row("4.1", "A field that is missing twice matches", [fresh, "Vary: X-A"], .hit(ttl: 60)),
    Row(
        "4.1",
        "Other fields do not matter",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-B: 1"],
        request: ["X-B: 2"],
        .hit(ttl: 60)
    ),
    Row(
        "4.1",
        "All fields have to match",
        [fresh, "Vary: X-A, X-B"],
        firstRequest: ["X-A: 1", "X-B: 1"],
        request: ["X-A: 1", "X-B: 2"],
        .sent(.varyMiss)
    ),
    Row(
        "4.1",
        "Several lines of Vary count",
        [fresh, "Vary: X-A", "Vary: X-B"],
        firstRequest: ["X-B: 1"],
        request: ["X-B: 2"],
        .sent(.varyMiss)
    ),
    Row(
        "4.1",
        "Names in Vary are not case-sensitive",
        [fresh, "Vary: x-A"],
        firstRequest: ["X-a: 1"],
        request: ["X-A: 1"],
        .hit(ttl: 60)
    ),
    Row(
        "4.1",
        "Values are case-sensitive",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: a"],
        request: ["X-A: A"],
        .sent(.varyMiss)
    ),
    Row(
        "4.1",
        "Blanks around commas do not matter",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: a,b"],
        request: ["X-A: a , b"],
        .hit(ttl: 60)
    ),
    Row(
        "4.1",
        "Several lines equal a list",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: a", "X-A: b"],
        request: ["X-A: a, b"],
        .hit(ttl: 60)
    ),
    Row(
        "4.1",
        "The order of values matters",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: a, b"],
        request: ["X-A: b, a"],
        .sent(.varyMiss)
    ),
    Row("4.1", "Vary: * matches no request", [fresh, "Vary: *"], .sent(.uriMiss)),
    Row("4.1", "Vary: * in a list matches no request", [fresh, "Vary: X-A, *"], .sent(.uriMiss)),
    Row("4.1", "An invalid name in Vary matches no request", [fresh, "Vary: X A"], .sent(.uriMiss)),
    Row("4.1", "The codings of the transport match", [fresh, "Vary: Accept-Encoding"], .hit(ttl: 60)),
    Row(
        "4.1",
        "Other codings do not match",
        [fresh, "Vary: Accept-Encoding"],
        request: ["Accept-Encoding: identity"],
        .sent(.varyMiss)
    ),
    Row(
        "4.1",
        "A response in a coding that is not accepted is not selected",
        [fresh, "Content-Encoding: x-mirror"],
        firstRequest: ["Accept-Encoding: x-mirror"],
        request: ["Accept-Encoding: gzip"],
        .sent(.varyMiss)
    ),
    Row(
        "4.1",
        "Several variants are stored",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: 1"],
        between: .init(request: ["X-A: 2"], fields: [fresh, "Vary: X-A"]),
        request: ["X-A: 1"],
        .hit(ttl: 60)
    ),
    Row(
        "4.1",
        "The second variant is selected as well",
        [fresh, "Vary: X-A"],
        firstRequest: ["X-A: 1"],
        between: .init(request: ["X-A: 2"], fields: [fresh, "Vary: X-A"]),
        request: ["X-A: 2"],
        .hit(ttl: 60, body: "other")
    ),
]
