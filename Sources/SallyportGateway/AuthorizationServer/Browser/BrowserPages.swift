import Foundation
import HTTPTypes
import Hummingbird

/// Builds responses with pages. The pages cannot be cached, framed or scripted, and their forms work only in the
/// browser that they were sent to.
@available(macOS 14, iOS 17, tvOS 17, *)
struct BrowserPages: Sendable {
    let server: AuthorizationServer

    /// Returns the browser's cookie, or `nil`.
    func cookie(of request: Request) async -> String? {
        let name = await cookieName
        return request.receivedCookies.first { $0.name == name }?.value
    }

    /// Returns a response with a page for the cookie that the browser has or is given.
    ///
    /// - Parameters:
    ///   - destination: The origin, besides this server, that the form may redirect to.
    ///   - given: A cookie that replaces the browser's.
    func show(
        cookie: String?,
        giving given: String? = nil,
        status: HTTPResponse.Status = .ok,
        destination: String? = nil,
        _ page: (_ cookie: String) -> any Page
    ) async -> Response {
        let old = cookie.flatMap { $0.isEmpty ? nil : $0 }
        let new = given ?? (old == nil ? Secret.random() : nil)
        let html = page(new ?? old ?? "").html
        var headers: HTTPFields = [.contentType: "text/html; charset=utf-8"]
        headers.append(contentsOf: Self.protections)
        headers[.contentSecurityPolicy] = Self.policy(destination)
        if let new { headers[.setCookie] = await setCookie(new) }
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// Returns a redirect.
    func redirect(to address: String, giving given: String? = nil) async -> Response {
        var headers: HTTPFields = [.location: address]
        headers.append(contentsOf: Self.protections)
        if let given { headers[.setCookie] = await setCookie(given) }
        return Response(status: .seeOther, headers: headers)
    }

    /// Returns a response with a message for the user.
    func tell(_ title: String, _ text: String, isProblem: Bool = true, cookie: String? = nil) async -> Response {
        await show(cookie: cookie ?? "-", status: isProblem ? .badRequest : .ok) { _ in
            MessagePage(title: title, message: text, isProblem: isProblem)
        }
    }

    private var cookieName: String {
        get async { await server.isSecure ? "__Host-sallyport" : "sallyport" }
    }

    private func setCookie(_ value: String) async -> String {
        "\(await cookieName)=\(value); Path=/; HttpOnly; SameSite=Lax" + (await server.isSecure ? "; Secure" : "")
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
