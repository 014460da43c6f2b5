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

    private func target(of request: HttpRequest) -> RequestTarget? {
        try? RequestTarget(url: request.url, parameters: request.parameters)
    }

    /// Adds the jar's cookies to a request. A cookie is not added if the caller has set one with the same name on the request.
    private func addCookies(to request: inout HttpRequest, for url: URL) {
        let existing = CookiePair.all(in: request.fields[.cookie])
        let stored = jar?.cookies(for: url) ?? []
        let added = stored.filter { cookie in !existing.contains { $0.name == cookie.name } }
        if added.isEmpty { return }
        let header = [request.fields[.cookie], Cookie.header(added)].compactMap(\.self).joined(separator: "; ")
        request.setHeader(name: NetworkConstants.headerCookie, value: header)
        // Secure cookies of a loopback host do not leave this computer. Only the transport knows whether it would use a proxy.
        if url.scheme == "http", added.contains(where: \.isSecure) { request.requiresSecureTransport = true }
    }
}
