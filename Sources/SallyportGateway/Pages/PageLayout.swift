import Crypto
import Foundation

/// What all pages have around them: the document, its style, Sallyport's name. There is no script.
struct PageLayout {
    let title: String
    let content: Markup

    /// The value of `Content-Security-Policy` for a page: the style that we wrote, and nothing else from anywhere.
    ///
    /// It has no `form-action`, by which Chromium would refuse the redirect to the client after a form.
    static let contentSecurityPolicy = [
        "default-src 'none'",
        "style-src 'sha256-\(Data(SHA256.hash(data: Data(PageStyle.text.utf8))).base64EncodedString())'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ].joined(separator: "; ")

    var html: String { markup.text }

    // The referrer is for our own pages only: their addresses hold what a client asked for. With `no-referrer`,
    // browsers would send `Origin: null` along with our forms.
    private var markup: Markup {
        """
        <!DOCTYPE html>
        <html lang="en" dir="ltr">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="same-origin">
        <meta name="robots" content="noindex">
        <meta name="color-scheme" content="light dark">
        <title>\(title) · Sallyport</title>
        <style>\(Markup(trusted: PageStyle.text))</style>
        </head>
        <body>
        <header>
        \(Self.gate)
        <span>Sallyport</span>
        </header>
        <main>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    /// A door in a wall, as a picture that says nothing to those who cannot see it.
    private static let gate: Markup = """
        <svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" focusable="false">
        <path fill="currentColor" fill-rule="evenodd" d="M3 4h4v3h4V4h6v3h4V4h4v21h-6v-7a5 5 0 0 0-10 0v7H3z"/>
        </svg>
        """
}
