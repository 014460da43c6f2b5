private typealias Row = CacheBehavior

private let fresh = "Cache-Control: max-age=60"

private let cacheableStatuses: [CacheBehavior] = [203, 204, 300, 301, 308, 404, 405, 410, 414, 501].flatMap { status in
    [
        Row("3", "\(status) with a lifetime is stored", [fresh], status: status, .hit(ttl: 60)),
        Row(
            "4.2.2",
            "\(status) has an estimated lifetime",
            ["Last-Modified: \(httpDate(-1_000))"],
            status: status,
            .hit(ttl: 100)
        ),
    ]
}

private let statusesWithLifetime: [CacheBehavior] = [302, 303, 307, 400, 403, 500, 502, 503, 299].map { status in
    Row("3", "\(status) with a lifetime is stored", [fresh], status: status, .hit(ttl: 60))
}

private let statusesWithoutEstimate: [CacheBehavior] = [302, 303, 307, 400, 403, 500, 503].map { status in
    Row(
        "4.2.2",
        "\(status) has no estimated lifetime",
        ["Last-Modified: \(httpDate(-1_000))"],
        status: status,
        .sent(.uriMiss)
    )
}

private let excludedStatuses: [CacheBehavior] = [401, 412, 416].map { status in
    Row("3", "\(status) is not stored", [fresh], status: status, .sent(.uriMiss))
}

/// Behaviours of section 3: which responses are stored, and which of their fields.
let storingBehaviors: [CacheBehavior] =
    cacheableStatuses + statusesWithLifetime + statusesWithoutEstimate + excludedStatuses + storedResponses

private let storedResponses: [CacheBehavior] = [
    Row("3", "200 with a lifetime is stored", [fresh], .hit(ttl: 60)),
    Row("3", "A response with a validator is stored", ["ETag: \"a\""], .validated(by: ["If-None-Match: \"a\""])),
    Row("3", "A response without lifetime and validator is not stored", [], .sent(.uriMiss)),
    Row("3.3", "206 is not stored", [fresh, "Content-Range: bytes 0-4/10"], status: 206, .sent(.uriMiss)),
    Row("3", "no-store prevents storing", ["Cache-Control: no-store"], .sent(.uriMiss)),
    Row("3", "no-store wins over max-age", ["Cache-Control: max-age=60, no-store"], .sent(.uriMiss)),
    Row("3", "no-store is found in another field line", [fresh, "Cache-Control: no-store"], .sent(.uriMiss)),
    Row(
        "5.2",
        "Names of directives are not case-sensitive",
        ["Cache-Control: max-age=60, No-Store"],
        .sent(.uriMiss)
    ),
    Row("3", "no-store wins over a validator", ["Cache-Control: no-store", "ETag: \"a\""], .sent(.uriMiss)),
    Row(
        "5.2.1.5",
        "The response to a request with no-store is not stored",
        [fresh],
        firstRequest: ["Cache-Control: no-store"],
        .sent(.uriMiss)
    ),
    Row(
        "5.2.2.3",
        "must-understand overrides no-store for a known status",
        ["Cache-Control: max-age=60, must-understand, no-store"],
        .hit(ttl: 60)
    ),
    Row(
        "5.2.2.3",
        "must-understand prevents storing an unknown status",
        ["Cache-Control: max-age=60, must-understand"],
        status: 299,
        .sent(.uriMiss)
    ),
    Row(
        "5.2.2.7",
        "private responses are stored by a private cache",
        ["Cache-Control: private, max-age=60"],
        .hit(ttl: 60)
    ),
    Row(
        "5.2.2.7",
        "private with fields stores all fields",
        ["Cache-Control: private=\"X-A\", max-age=60", "X-A: 1"],
        with: ["X-A: 1"],
        .hit(ttl: 60)
    ),
    Row("5.2.2.9", "public responses are stored", ["Cache-Control: public, max-age=60"], .hit(ttl: 60)),
    Row(
        "5.2.2.10",
        "s-maxage gives no lifetime to a private cache",
        ["Cache-Control: s-maxage=60"],
        .sent(.uriMiss)
    ),
    Row(
        "5.2.2.10",
        "s-maxage does not shorten a lifetime",
        ["Cache-Control: s-maxage=0, max-age=60"],
        .hit(ttl: 60)
    ),
    Row(
        "3",
        "A response with a secret in a field is not stored",
        [fresh, "X-Auth-Token: s3cr3t"],
        .sent(.uriMiss)
    ),

    Row(
        "3",
        "A policy that names secrets contains none",
        [fresh, "Permissions-Policy: otp-credentials=()"],
        .hit(ttl: 60)
    ),

    // Fields.
    Row("3.1", "Unknown fields are stored", [fresh, "X-A: 1"], with: ["X-A: 1"], .hit(ttl: 60)),
    Row(
        "3.1",
        "Several lines of a field are stored",
        [fresh, "X-A: 1", "X-A: 2"],
        with: ["X-A: 1, 2"],
        .hit(ttl: 60)
    ),
    Row(
        "3.1",
        "Fields that Connection names are not stored",
        [fresh, "Connection: X-Hop", "X-Hop: 1"],
        lacking: ["X-Hop", "Connection"],
        .hit(ttl: 60)
    ),
    Row(
        "3.1",
        "Keep-Alive is not stored",
        [fresh, "Keep-Alive: timeout=5"],
        lacking: ["Keep-Alive"],
        .hit(ttl: 60)
    ),
    Row(
        "3.1",
        "Proxy fields are not stored",
        [fresh, "Proxy-Authentication-Info: a=b"],
        lacking: ["Proxy-Authentication-Info"],
        .hit(ttl: 60)
    ),
    Row("7.3", "Set-Cookie is not stored", [fresh, "Set-Cookie: id=1"], lacking: ["Set-Cookie"], .hit(ttl: 60)),
    Row(
        "7.3",
        "Authentication-Info is not stored",
        [fresh, "Authentication-Info: nextnonce=1"],
        lacking: ["Authentication-Info"],
        .hit(ttl: 60)
    ),
]
