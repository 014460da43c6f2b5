import Foundation

@testable import Sallyport

/// Friday, 1 January 2100, 00:00:00 UTC: in the future, so that `allCookies` contains the cookies that tests store.
let cookieTestTime = Date(timeIntervalSince1970: 4_102_444_800)

let cookieTestDay: TimeInterval = 86_400

func cookieURL(_ text: String) -> URL {
    URL(string: text)!
}

func parseCookie(
    _ text: String,
    from url: String = "https://www.example.com/a/b/c",
    publicSuffixes: PublicSuffixes = .compact
) -> Cookie? {
    Cookie.parse(setCookie: text, from: cookieURL(url), at: cookieTestTime, publicSuffixes: publicSuffixes)
}

extension CookieJar {
    static func forTests(maximumPerDomain: Int = 50, maximumTotal: Int = 3000) -> CookieJar {
        CookieJar(publicSuffixes: .compact, maximumPerDomain: maximumPerDomain, maximumTotal: maximumTotal)
    }

    func store(_ values: String..., from url: String, after seconds: TimeInterval = 0) {
        store(setCookie: values, from: cookieURL(url), now: cookieTestTime.addingTimeInterval(seconds))
    }

    func header(_ url: String, after seconds: TimeInterval = 0) -> String? {
        cookieHeader(for: cookieURL(url), now: cookieTestTime.addingTimeInterval(seconds))
    }
}
