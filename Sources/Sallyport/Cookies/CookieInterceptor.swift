import Foundation
import HTTPTypes

/// Sends the jar's cookies with each request, and keeps those that each response sets.
struct CookieInterceptor: Interceptor {
    let jar: CookieJar

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let target = try RequestTarget(url: request.url, parameters: request.parameters)
        guard let url = URL(string: target.url) else { return try await next(request) }
        let response = try await next(withCookies(request, for: url))
        let received = response.getCookieStrings()
        if !received.isEmpty { jar.store(setCookie: received, from: url) }
        return response
    }

    /// The request with the jar's cookies, save those for which the app has set a value on the request itself.
    private func withCookies(_ request: HttpRequest, for url: URL) -> HttpRequest {
        let own = CookiePair.all(in: request.fields[.cookie])
        let kept = jar.cookies(for: url).filter { cookie in !own.contains { $0.name == cookie.name } }
        if kept.isEmpty { return request }
        var request = request
        let texts = kept.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
        let header = [request.fields[.cookie], texts.joined(separator: "; ")].compactMap(\.self).joined(separator: "; ")
        request.setHeader(name: NetworkConstants.headerCookie, value: header)
        return request
    }
}
