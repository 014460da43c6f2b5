import Foundation
import HTTPTypes

/// Sends the jar's cookies with each request, and keeps those that each response sets.
struct CookieInterceptor: Interceptor {
    let jar: CookieJar

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        var sent = jar.isEmpty ? request : withCookies(request)
        if sent.fields[.cookie] != nil { sent.cookieOrigin = origin(of: request) }
        let response = try await next(sent)
        let received = response.getCookieStrings()
        if !received.isEmpty, let url = url(of: request) { jar.store(setCookie: received, from: url) }
        return response
    }

    private func origin(of request: HttpRequest) -> String? {
        (try? RequestTarget(url: request.url, parameters: request.parameters))?.origin
    }

    private func url(of request: HttpRequest) -> URL? {
        (try? RequestTarget(url: request.url, parameters: request.parameters)).flatMap { URL(string: $0.url) }
    }

    /// The request with the jar's cookies, save those for which the app has set a value on the request itself.
    private func withCookies(_ request: HttpRequest) -> HttpRequest {
        guard let url = url(of: request) else { return request }
        let own = CookiePair.all(in: request.fields[.cookie])
        let kept = jar.cookies(for: url).filter { cookie in !own.contains { $0.name == cookie.name } }
        if kept.isEmpty { return request }
        var request = request
        let header = [request.fields[.cookie], Cookie.header(kept)].compactMap(\.self).joined(separator: "; ")
        request.setHeader(name: NetworkConstants.headerCookie, value: header)
        return request
    }
}
