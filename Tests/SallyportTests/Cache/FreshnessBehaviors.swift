private typealias Row = CacheBehavior

private let fresh = "Cache-Control: max-age=60"
private let tag = "ETag: \"a\""
private let validated = CacheBehavior.Outcome.validated(by: ["If-None-Match: \"a\""])

/// Returns a behaviour whose `Cache-Control` gives a lifetime of 60 seconds, or none.
private func control(_ section: String, _ rule: String, _ value: String, _ outcome: CacheBehavior.Outcome)
    -> CacheBehavior
{
    Row(section, rule, ["Cache-Control: \(value)", tag], outcome)
}

/// Behaviours of section 4.2: lifetime, estimated lifetime and age.
let freshnessBehaviors: [CacheBehavior] =
    [
        Row("4.2.1", "A response is fresh until its lifetime ends", [fresh], after: 59, .hit(ttl: 1)),
        Row("4.2.1", "It is stale when its age equals the lifetime", [fresh], after: 60, .sent(.stale)),
        Row("4.2.1", "It is stale afterwards", [fresh], after: 61, .sent(.stale)),
        Row("5.3", "Expires gives a lifetime", ["Expires: \(httpDate(60))"], .hit(ttl: 60)),
        Row(
            "5.3",
            "Expires is relative to Date",
            ["Date: \(httpDate(30))", "Expires: \(httpDate(60))"],
            .hit(ttl: 30)
        ),
        Row(
            "5.3",
            "The lifetime of Expires ends",
            ["Date: \(httpDate(0))", "Expires: \(httpDate(60))", tag],
            after: 60,
            validated
        ),
        Row("5.3", "max-age wins over an earlier Expires", [fresh, "Expires: \(httpDate(-100))"], .hit(ttl: 60)),
        Row(
            "5.3",
            "max-age wins over a later Expires",
            ["Cache-Control: max-age=0", "Expires: \(httpDate(100))", tag],
            after: 1,
            validated
        ),
        Row("5.3", "Expires: 0 is in the past", ["Expires: 0", tag], validated),
        Row("5.3", "An invalid date is in the past", ["Expires: tomorrow", tag], validated),
        Row("5.3", "Another time zone is invalid", ["Expires: Sun, 06 Nov 1994 08:50:37 +0000", tag], validated),
        Row("5.3", "A past date gives no lifetime", ["Expires: \(httpDate(-1))", tag], validated),
        Row(
            "5.3",
            "The earlier of two dates counts",
            ["Expires: \(httpDate(60))", "Expires: \(httpDate(30))"],
            .hit(ttl: 30)
        ),
        Row("5.3", "A date of RFC 850 is valid", ["Expires: Sunday, 06-Nov-94 08:50:37 GMT"], .hit(ttl: 60)),
        Row("5.3", "A date of asctime is valid", ["Expires: Sun Nov  6 08:50:37 1994"], .hit(ttl: 60)),

        control("4.2.1", "The shorter of two lifetimes counts", "max-age=60, max-age=10", .hit(ttl: 10)),
        Row("4.2.1", "The shorter lifetime of two lines counts", [fresh, "Cache-Control: max-age=10"], .hit(ttl: 10)),
        control("5.2", "A quoted lifetime is valid", "max-age=\"60\"", .hit(ttl: 60)),
        control("5.2", "Unknown directives are ignored", "max-age=60, foo=bar, baz", .hit(ttl: 60)),
        control("5.2", "A quoted string contains no directives", "foo=\"a, max-age=0\", max-age=60", .hit(ttl: 60)),
        control("5.2", "A quoted string contains escaped quotes", "foo=\"\\\", max-age=0\", max-age=60", .hit(ttl: 60)),
        control("5.2", "Empty members of the list are ignored", ", ,max-age=60,", .hit(ttl: 60)),
        control("5.2", "Upper case is the same", "MAX-AGE=60", .hit(ttl: 60)),
        control("5.2", "Blanks separate directives", "public ,  max-age=60", .hit(ttl: 60)),
        control("4.2.1", "A lifetime that is not a number is zero", "max-age=abc", validated),
        control("4.2.1", "A negative lifetime is zero", "max-age=-1", validated),
        control("4.2.1", "A fraction is zero", "max-age=1.5", validated),
        control("4.2.1", "A blank before the number is zero", "max-age= 60", validated),
        control("4.2.1", "A missing number is zero", "max-age", validated),
        control("1.2.2", "A lifetime that overflows is long", "max-age=99999999999999999999", .hit(ttl: 2_147_483_648)),

        Row(
            "4.2.2",
            "A tenth of the age is the lifetime",
            ["Last-Modified: \(httpDate(-1_000))"],
            after: 99,
            .hit(ttl: 1)
        ),
        Row(
            "4.2.2",
            "An estimated lifetime ends",
            ["Last-Modified: \(httpDate(-1_000))"],
            after: 100,
            .validated(by: ["If-Modified-Since: \(httpDate(-1_000))"])
        ),
        Row(
            "4.2.2",
            "An estimated lifetime is at most a day",
            ["Last-Modified: \(httpDate(-10_000_000))"],
            .hit(ttl: 86_400)
        ),
        Row(
            "4.2.2",
            "A modification in the future gives no lifetime",
            ["Last-Modified: \(httpDate(100))"],
            .validated(by: ["If-Modified-Since: \(httpDate(100))"])
        ),
        Row(
            "4.2.2",
            "public allows an estimate for other statuses",
            ["Cache-Control: public", "Last-Modified: \(httpDate(-1_000))"],
            status: 403,
            .hit(ttl: 100)
        ),
        Row(
            "4.2.2",
            "Expires prevents an estimate",
            ["Expires: \(httpDate(-1))", "Last-Modified: \(httpDate(-1_000))"],
            .validated(by: ["If-Modified-Since: \(httpDate(-1_000))"])
        ),
        Row(
            "4.2.2",
            "max-age prevents an estimate",
            ["Cache-Control: max-age=0", "Last-Modified: \(httpDate(-1_000))"],
            .validated(by: ["If-Modified-Since: \(httpDate(-1_000))"])
        ),
        Row(
            "4.2.2",
            "An estimate is relative to Date",
            ["Date: \(httpDate(-10))", "Last-Modified: \(httpDate(-1_010))"],
            .hit(ttl: 90)
        ),

        Row("4.2.3", "Age reduces the remaining lifetime", [fresh, "Age: 30"], with: ["Age: 30"], .hit(ttl: 30)),
        Row(
            "4.2.3",
            "Age and the stored time are added",
            [fresh, "Age: 10"],
            after: 20,
            with: ["Age: 30"],
            .hit(ttl: 30)
        ),
        Row("4.2.3", "A response can be stale when it is received", [fresh, "Age: 60", tag], validated),
        Row("4.2.3", "Date reduces the remaining lifetime", [fresh, "Date: \(httpDate(-30))"], .hit(ttl: 30)),
        Row(
            "4.2.3",
            "The greater of Age and apparent age counts",
            [fresh, "Date: \(httpDate(-30))", "Age: 10"],
            .hit(ttl: 30)
        ),
        Row(
            "4.2.3",
            "Age counts if it is greater than the apparent age",
            [fresh, "Date: \(httpDate(-10))", "Age: 40"],
            .hit(ttl: 20)
        ),
        Row("4.2.3", "A Date in the future is not a negative age", [fresh, "Date: \(httpDate(30))"], .hit(ttl: 60)),
        Row("5.1", "An invalid Age is ignored", [fresh, "Age: abc"], .hit(ttl: 60)),
        Row("5.1", "A negative Age is ignored", [fresh, "Age: -1"], .hit(ttl: 60)),
        Row("5.1", "The first member of a list counts", [fresh, "Age: 30, 10"], .hit(ttl: 30)),
        Row("5.1", "An Age that overflows is long", [fresh, "Age: 99999999999999999999", tag], validated),
    ]
