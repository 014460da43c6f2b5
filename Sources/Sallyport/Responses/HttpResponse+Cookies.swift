import Foundation

extension HttpResponse {
    /// The cookies that the response sets, as RFC 6265bis reads them. Those that must be refused are left out.
    public func getCookies() -> [Cookie] {
        guard let url = request.url.flatMap(URL.init(string:)) else { return [] }
        return getCookieStrings().compactMap { Cookie.parse(setCookie: $0, from: url, at: Date()) }
    }

    /// The values of the `Set-Cookie` headers as they came, one for each cookie.
    public func getCookieStrings() -> [String] {
        getHeaders(name: NetworkConstants.headerSetCookie)
    }
}
