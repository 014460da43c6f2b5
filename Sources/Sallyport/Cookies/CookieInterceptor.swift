import Foundation
import HTTPTypes
import SallyportTransport

/// Adds the jar's cookies to each request, and stores the cookies that each response sets.
struct CookieInterceptor: Interceptor {
    /// The jar; `nil` if the client neither stores nor sends cookies of its own.
    let jar: CookieJar?
    /// The interceptors that can change the cookies of requests with an action.
    let actionInterceptors: ActionInterceptors

    var traceName: String { "cookies" }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let response = try await next(withCookies(request))
        guard let jar else { return response }
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
    private func withCookies(_ request: HttpRequest) async throws(NetworkError) -> HttpRequest {
        if jar?.isEmpty ?? true, request.fields[.cookie] == nil, request.action == nil { return request }
        guard let target = target(of: request) else { return request }
        let url = URL(string: target.url)
        let existing = CookiePair.all(in: request.fields[.cookie])
        let stored = url.flatMap { jar?.cookies(for: $0) } ?? []
        let added = stored.filter { cookie in !existing.contains { $0.name == cookie.name } }
        var request = request
        if !added.isEmpty {
            let header = [request.fields[.cookie], Cookie.header(added)].compactMap(\.self).joined(separator: "; ")
            request.setHeader(name: NetworkConstants.headerCookie, value: header)
        }
        if let action = request.action, let url {
            try await changeCookies(of: &request, to: url, setByApp: existing, stored: added, for: action)
        }
        if request.fields[.cookie] != nil { request.cookieOrigin = target.origin }
        return request
    }

    /// Replaces the `Cookie` header if a request interceptor changes the cookies.
    private func changeCookies(
        of request: inout HttpRequest,
        to url: URL,
        setByApp pairs: [CookiePair],
        stored: [Cookie],
        for action: Action
    ) async throws(NetworkError) {
        guard let host = CookieHost(url) else { return }
        let isSecure = url.isSecureForCookies
        let cookies =
            pairs.map { Cookie(name: $0.name, value: $0.value, domain: host.name, isSecure: isSecure) } + stored
        let changed = try await actionInterceptors.changed(cookies, of: request, for: action)
        if changed == cookies { return }
        for cookie in changed where !cookies.contains(cookie) {
            guard let defect = cookie.defect else { continue }
            let name = VisibleText.line(cookie.name)
            throw .invalidRequest(
                NetworkFailure("a request interceptor returned the cookie \"\(name)\", which cannot be sent: \(defect)")
            )
        }
        let path = CookiePath.requestPath(of: url)
        let sent = changed.filter { $0.isSent(to: host, path: path, isSecure: isSecure) }
        request.removeHeader(name: NetworkConstants.headerCookie)
        if sent.isEmpty { return }
        request.setHeader(name: NetworkConstants.headerCookie, value: Cookie.header(sent))
    }
}
