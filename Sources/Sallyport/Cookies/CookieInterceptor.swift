import Foundation
import HTTPTypes
import SallyportTransport

/// Adds the jar's cookies to each request, and stores the cookies that each response sets.
struct CookieInterceptor: MessageInterceptor {
    /// The jar; `nil` if the client neither stores nor sends cookies of its own.
    let jar: CookieJar?

    var traceName: String { "cookies" }

    func willSend(_ request: inout HttpRequest) {
        if jar?.isEmpty ?? true, !request.fields.contains(.cookie) { return }
        guard let target = target(of: request) else { return }
        if let url = URL(string: target.url) { addCookies(to: &request, for: url) }
        if request.fields.contains(.cookie) { request.cookieOrigin = target.origin }
    }

    func didReceive(_ response: inout HttpResponse, for request: HttpRequest) {
        guard let jar, response.headers.fields.contains(.setCookie) else { return }
        guard let url = target(of: request).flatMap({ URL(string: $0.url) }) else { return }
        jar.store(setCookie: response.getCookieStrings(), from: url)
    }

    fileprivate func target(of request: HttpRequest) -> RequestTarget? {
        try? RequestTarget(url: request.url, parameters: request.parameters)
    }

    /// Adds the jar's cookies to a request, except cookies of a name for which the app has set a value on the request.
    ///
    /// - Returns: The added cookies.
    @discardableResult
    fileprivate func addCookies(to request: inout HttpRequest, for url: URL) -> [Cookie] {
        let existing = CookiePair.all(in: request.fields[.cookie])
        let stored = jar?.cookies(for: url) ?? []
        let added = stored.filter { cookie in !existing.contains { $0.name == cookie.name } }
        if !added.isEmpty {
            let header = [request.fields[.cookie], Cookie.header(added)].compactMap(\.self).joined(separator: "; ")
            request.setHeader(name: NetworkConstants.headerCookie, value: header)
            // Secure cookies of a loopback host do not leave this computer. Only the transport knows whether it would use a proxy.
            if url.scheme == "http", added.contains(where: \.isSecure) { request.requiresSecureTransport = true }
        }
        return added
    }
}

/// Does the same as ``CookieInterceptor`` for requests with an action, whose cookies the request interceptors can change.
struct ActionCookieInterceptor: Interceptor {
    let cookies: CookieInterceptor
    let actionInterceptors: ActionInterceptors

    var traceName: String { cookies.traceName }

    func intercept(_ request: HttpRequest, next: Next) async throws -> HttpResponse {
        let sent = try await withCookies(request)
        var response = try await next(sent)
        cookies.didReceive(&response, for: sent)
        return response
    }

    private func withCookies(_ request: HttpRequest) async throws(NetworkError) -> HttpRequest {
        guard let target = cookies.target(of: request) else { return request }
        var request = request
        if let url = URL(string: target.url), let action = request.action {
            let existing = CookiePair.all(in: request.fields[.cookie])
            let added = cookies.addCookies(to: &request, for: url)
            try await changeCookies(of: &request, to: url, setByApp: existing, stored: added, for: action)
        }
        if request.fields.contains(.cookie) { request.cookieOrigin = target.origin }
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
