import Foundation
import HTTPTypes

/// Adds the jar's cookies to each request, and stores the cookies that each response sets.
struct CookieInterceptor: Interceptor {
    let jar: CookieJar

    var traceName: String { "cookies" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let response = try await next(withCookies(request))
        let received = response.getCookieStrings()
        if !received.isEmpty, let url = target(of: request).flatMap({ URL(string: $0.url) }) {
            jar.store(setCookie: received, from: url)
        }
        return response
    }

    private func target(of request: HttpRequest) -> RequestTarget? {
        try? RequestTarget(url: request.url, parameters: request.parameters)
    }

    /// Returns the request with the jar's cookies, except cookies of a name for which the app has set a value on the request.
    private func withCookies(_ request: HttpRequest) -> HttpRequest {
        if jar.isEmpty, request.fields[.cookie] == nil { return request }
        guard let target = target(of: request) else { return request }
        let existing = CookiePair.all(in: request.fields[.cookie])
        let stored = URL(string: target.url).map { jar.cookies(for: $0) } ?? []
        let added = stored.filter { cookie in !existing.contains { $0.name == cookie.name } }
        var request = request
        if !added.isEmpty {
            let header = [request.fields[.cookie], Cookie.header(added)].compactMap(\.self).joined(separator: "; ")
            request.setHeader(name: NetworkConstants.headerCookie, value: header)
        }
        if request.fields[.cookie] != nil { request.cookieOrigin = target.origin }
        return request
    }
}
