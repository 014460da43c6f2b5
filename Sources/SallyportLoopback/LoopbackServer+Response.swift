#if os(Linux) || os(macOS)
import Crypto
import Foundation
import NIOCore
import NIOHTTP1

extension LoopbackServer {
    /// The responses of a loopback port. They contain no part of the request.
    enum Response {
        /// The response to the expected callback.
        case accepted
        /// The response to a request of the redirect URI without the expected state.
        case unexpected
        case notFound
        case wrongMethod
        case misdirected
        case malformed
        case tooLarge
    }
}

extension LoopbackServer.Response {
    var status: HTTPResponseStatus {
        switch self {
        case .accepted: .ok
        case .unexpected, .malformed: .badRequest
        case .notFound: .notFound
        case .wrongMethod: .methodNotAllowed
        case .misdirected: .misdirectedRequest
        case .tooLarge: .requestHeaderFieldsTooLarge
        }
    }

    var headers: HTTPHeaders {
        var headers: HTTPHeaders = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; style-src 'sha256-\(Self.styleDigest)'; frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        ]
        if self == .wrongMethod { headers.add(name: "Allow", value: "GET") }
        return headers
    }

    /// The HTML document.
    var page: String {
        let (title, text) = message
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title) · Sallyport</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <p role="status">\(text)</p>
            </main>
            </body>
            </html>

            """
    }

    /// The title and text of the page. The page is sent before the result of the login is known.
    private var message: (title: String, text: String) {
        switch self {
        case .accepted:
            ("You can close this page", "Sallyport has received the response. Return to where you started the login.")
        case .unexpected:
            ("This is not the expected login", "Return to where you started the login, and start it again.")
        case .notFound, .wrongMethod, .misdirected, .malformed, .tooLarge:
            ("This page does not exist", "Sallyport only receives the result of a login at this address.")
        }
    }

    private static let style = """
        :root { color-scheme: light dark; --background: #f3f5f4; --ink: #16211d; --accent: #0b5d4b; }
        @media (prefers-color-scheme: dark) { :root { --background: #111715; --ink: #e8efec; --accent: #7fd3bd; } }
        body { margin: 0; min-height: 100vh; display: flex; align-items: center; justify-content: center;
          background: var(--background); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; text-align: center; }
        main { max-width: 28rem; padding: 2rem 1.25rem; }
        h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; color: var(--accent); }
        p { margin: 0; }
        """

    private static let styleDigest = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
}
#endif
