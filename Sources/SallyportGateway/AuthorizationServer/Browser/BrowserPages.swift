import Foundation
import HTTPTypes
import Hummingbird

/// Answers browsers: pages that only the browser that asked can answer, that are not kept, framed or scripted.
@available(macOS 14, iOS 17, tvOS 17, *)
struct BrowserPages: Sendable {
    let server: AuthorizationServer

    /// The browser's cookie.
    func cookie(of request: Request) async -> String? {
        let name = await cookieName
        return request.receivedCookies.first { $0.name == name }?.value
    }

    /// Shows a page, which is made for the cookie that the browser has or is given.
    ///
    /// - Parameters:
    ///   - destination: Where its form may lead to besides here.
    ///   - given: A cookie that the browser gets in place of what it has.
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

    /// Sends the browser elsewhere.
    func redirect(to address: String, giving given: String? = nil) async -> Response {
        var headers: HTTPFields = [.location: address]
        headers.append(contentsOf: Self.protections)
        if let given { headers[.setCookie] = await setCookie(given) }
        return Response(status: .seeOther, headers: headers)
    }

    /// Tells the person something that no client can be told.
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

    /// What the pages need, and where their forms may lead: here, and to the client (Chromium looks at redirects too).
    private static func policy(_ destination: String?) -> String {
        let form = ["'self'", destination].compactMap { $0 }.joined(separator: " ")
        return "\(PageLayout.contentSecurityPolicy); form-action \(form)"
    }
}
