import Foundation
import TestSupport
import Testing

@testable import Sallyport

@Suite(.concurrencyLimited) struct NetscapeCookiesTests {
    private let jar = CookieJar.forTests()

    @Test func `A line has seven columns, #HttpOnly_ for HTTP-only cookies, and expiry 0 for session cookies`() {
        let expiry = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 1000)
        jar.store(Cookie(name: "a", value: "1", domain: "example.com"))
        jar.store(
            Cookie(
                name: "b",
                value: "2 3=4",
                domain: "example.com",
                path: "/x",
                expiresDate: expiry,
                isSecure: false,
                isHTTPOnly: true,
                isHostOnly: false
            )
        )
        let lines = jar.netscapeText.split(separator: "\n").filter { !$0.hasPrefix("# ") }
        #expect(
            lines == [
                "example.com\tFALSE\t/\tTRUE\t0\ta\t1",
                "#HttpOnly_.example.com\tTRUE\t/x\tFALSE\t\(Int(expiry.timeIntervalSince1970))\tb\t2 3=4",
            ]
        )
        #expect(jar.netscapeText.hasPrefix("# Netscape HTTP Cookie File\n"))
    }

    @Test func `Saved cookies are loaded unchanged, except for SameSite`() throws {
        let fields = [
            "a=1; Path=/; Secure", "b=; Domain=example.com; HttpOnly", "c=x\ty z; Max-Age=86400", "bare",
            "ü=\"é\"; Path=/ä b",
            "__Host-h=1; Secure; Path=/", "d=#1; Path=/#x",
        ]
        jar.store(
            setCookie: fields,
            from: cookieURL("https://www.example.com/"),
            now: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        )
        jar.store(Cookie(name: "six", value: "6", domain: "::1"))
        let copy = CookieJar.forTests()
        try copy.load(netscapeText: jar.netscapeText)
        #expect(copy.allCookies == jar.allCookies)
        #expect(copy.allCookies.count == 8)
    }

    @Test func `The output of curl 7.88 is read`() throws {
        let text = """
            # Netscape HTTP Cookie File

            127.0.0.1\tFALSE\t/deep\tFALSE\t0\tdeep\tcurl
            #HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t4110000000\tperm\ta=b|c
            .example.test\tTRUE\t/\tTRUE\t4110000000\tdom\tv
            127.0.0.1\tFALSE\t/\tFALSE\t0\tempty\t
            127.0.0.1\tFALSE\t/\tFALSE\t0\tshort

            """
        try jar.load(netscapeText: text.replacingOccurrences(of: "\n", with: "\r\n"), now: cookieTestTime)
        #expect(jar.header("http://127.0.0.1/deep/x") == "deep=curl; perm=a=b|c; empty=; short=")
        #expect(jar.header("https://www.example.test/") == "dom=v")
        #expect(jar.allCookies.map(\.isHTTPOnly) == [false, true, false, false, false])
    }

    @Test func `Expired cookies, cookies for public suffixes and invalid prefixed cookies are skipped`() throws {
        let text = """
            a.example\tFALSE\t/\tTRUE\t1\tdead\t1
            .co.uk\tTRUE\t/\tTRUE\t0\twide\t1
            a.example\tFALSE\t/x\tTRUE\t0\t__Host-a\t1
            a.example\tFALSE\t/\tTRUE\t0\tgood\t1
            """
        try jar.load(netscapeText: text)
        #expect(jar.allCookies.map(\.name) == ["good"])
    }

    @Test func `An expired line does not remove a stored cookie`() throws {
        jar.store("a=1; Path=/", from: "https://a.example/")
        try jar.load(netscapeText: "a.example\tFALSE\t/\tTRUE\t1\ta\told")
        #expect(jar.header("https://a.example/") == "a=1")
    }

    @Test(
        arguments: [
            ("not a cookie", "it has 1 of 7 columns"),
            ("a.example\tTRUE\t/\tTRUE\t0", "it has 5 of 7 columns"),
            ("a.example\tMAYBE\t/\tTRUE\t0\ta\ts3cret", "column 2 is neither TRUE nor FALSE"),
            ("a.example\tTRUE\t/\t1\t0\ta\ts3cret", "column 4 is neither TRUE nor FALSE"),
            ("a.example\tTRUE\t/\tTRUE\tsoon\ta\ts3cret", "the expiry in column 5 is not a number of seconds"),
            ("a.example\tTRUE\t/\tTRUE\tnan\ta\ts3cret", "the expiry in column 5 is not a number of seconds"),
            ("a.example\tTRUE\tx\tTRUE\t0\ta\ts3cret", "its path is not a path"),
            ("a example\tTRUE\t/\tTRUE\t0\ta\ts3cret", "its domain is not a host name"),
            ("\tTRUE\t/\tTRUE\t0\ta\ts3cret", "its domain is not a host name"),
            ("a.example\tTRUE\t/\tTRUE\t0\t\t", "it has neither a name nor a value"),
            ("a.example\tTRUE\t/\tTRUE\t0\ta\ts3cret\r;", "its value contains a control character or semicolon"),
            ("#HttpOnly_", "it has 1 of 7 columns"),
        ]
    )
    func `A malformed line is reported by number without its value, and nothing is loaded`(
        line: String,
        problem: String
    ) {
        let text = "# comment\n\na.example\tFALSE\t/\tTRUE\t0\tgood\t1\n\(line)\n"
        let error = #expect(throws: CookieFileError.self) { try jar.load(netscapeText: text) }
        #expect(error == .malformedLine(number: 4, problem: problem))
        #expect(error?.localizedDescription.contains("Line 4") == true)
        #expect(error?.localizedDescription.contains("s3cret") == false)
        #expect(jar.allCookies.isEmpty)
    }

    @Test func `A cookie that the format cannot represent is omitted`() throws {
        jar.store("a\tb=1", "c=2; Path=/\tx", "good=3", from: "https://a.example/")
        let copy = CookieJar.forTests()
        try copy.load(netscapeText: jar.netscapeText)
        #expect(copy.allCookies.map(\.name) == ["good"])
    }

    @Test(arguments: ["", "\n\n", "# x\n#y\r\n", "  \n\t\n"])
    func `Text without cookies adds nothing`(text: String) throws {
        try jar.load(netscapeText: text)
        #expect(jar.allCookies.isEmpty)
    }
}
