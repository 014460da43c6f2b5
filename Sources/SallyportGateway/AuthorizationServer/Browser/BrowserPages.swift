import Foundation
import HTTPTypes
import Hummingbird

/// Creates responses with pages. The pages cannot be cached or framed, contain no scripts, and their forms work only in the
/// browser that they were sent to.
@available(macOS 14, iOS 17, tvOS 17, *)
struct BrowserPages: Sendable {
    let server: AuthorizationServer

    /// Returns the browser's cookie; `nil` if there is none, or there are two different ones, because then another server of the host has
    /// set one of them.
    func cookie(of request: Request) async -> String? {
        let name = await cookieName
        let values = Set(request.receivedCookies.filter { $0.name == name }.map(\.value))
        return values.count == 1 ? values.first : nil
    }

    /// Returns the session token in the header field of a request, or otherwise in its cookie.
    func session(of request: Request) async -> PresentedSession {
        if let token = request.headers[HTTPField.Name(server.configuration.sessionCookie)] {
            return PresentedSession(token: token, isInHeader: true)
        }
        return PresentedSession(token: await cookie(of: request), isInHeader: false)
    }

    /// Returns a response with a page. If the browser has no cookie yet, the response sets one.
    ///
    /// - Parameters:
    ///   - cookie: The browser's cookie, if it has one.
    ///   - newCookie: A cookie that replaces the browser's cookie.
    ///   - destination: The origin, besides this server, that the form may redirect to.
    ///   - page: A closure that returns the page for the browser's cookie.
    func show(
        cookie: String?,
        newCookie: String? = nil,
        status: HTTPResponse.Status = .ok,
        destination: String? = nil,
        _ page: (_ cookie: String) -> any Page
    ) async -> Response {
        let old = cookie.flatMap { $0.isEmpty ? nil : $0 }
        let new = newCookie ?? (old == nil ? Secret.random() : nil)
        var response = Self.response(with: page(new ?? old ?? ""), status: status, destination: destination)
        if let new { response.headers[.setCookie] = await setCookie(new) }
        return response
    }

    /// Returns a response with a page, without a cookie.
    static func response(
        with page: any Page,
        status: HTTPResponse.Status = .ok,
        destination: String? = nil
    ) -> Response {
        var headers: HTTPFields = [.contentType: "text/html; charset=utf-8"]
        headers.append(contentsOf: protections)
        headers[.contentSecurityPolicy] = policy(destination)
        return Response(
            status: status,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.html))
        )
    }

    /// Returns a redirect.
    func redirect(
        to address: String,
        newCookie: String? = nil,
        status: HTTPResponse.Status = .seeOther
    ) async -> Response {
        var headers: HTTPFields = [.location: address]
        headers.append(contentsOf: Self.protections)
        if let newCookie { headers[.setCookie] = await setCookie(newCookie) }
        return Response(status: status, headers: headers)
    }

    /// Returns a response with a message for the user.
    func message(_ title: String, _ text: String, isProblem: Bool = true) async -> Response {
        Self.response(
            with: MessagePage(title: title, message: text, isProblem: isProblem),
            status: isProblem ? .badRequest : .ok
        )
    }

    /// Returns the `Set-Cookie` field for the token of a session, or for the random value of a browser without a session.
    func setCookie(_ value: String) async -> String {
        let attributes = "Path=/; HttpOnly; SameSite=Lax" + (await server.isSecure ? "; Secure" : "")
        return "\(await cookieName)=\(value); \(attributes)"
    }

    private var cookieName: String {
        get async { server.configuration.cookieName(isSecure: await server.isSecure) }
    }

    private static var protections: HTTPFields {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers[.pragma] = "no-cache"
        headers[HTTPField.Name("Referrer-Policy")] = "same-origin"
        headers[HTTPField.Name("X-Frame-Options")] = "DENY"
        headers[.xContentTypeOptions] = "nosniff"
        return headers
    }

    /// Returns the content security policy. Chromium applies `form-action` also to the redirect after a form.
    private static func policy(_ destination: String?) -> String {
        let form = ["'self'", destination].compactMap { $0 }.joined(separator: " ")
        return "\(PageLayout.contentSecurityPolicy); form-action \(form)"
    }
}
