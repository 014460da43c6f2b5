import Crypto
import Foundation

/// An HTML page.
protocol Page: Sendable {
    /// The document. All external values in it are escaped.
    var html: String { get }
}

/// The layout of all pages. There is no script.
struct PageLayout {
    let title: String
    let content: Markup
    /// A Boolean value that indicates whether the page uses the width of the window, for lists and commands.
    var isWide = false

    /// The content security policy of a page, which allows only its own style.
    ///
    /// ``BrowserPages`` adds `form-action`, because its value depends on the client that the form redirects to.
    static let contentSecurityPolicy = [
        "default-src 'none'",
        "style-src 'sha256-\(Data(SHA256.hash(data: Data(PageStyle.text.utf8))).base64EncodedString())'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ].joined(separator: "; ")

    var html: String { markup.text }

    // The URLs of pages contain requests of clients, so only this server gets them as referrer. With `no-referrer`,
    // browsers would send `Origin: null` with the forms.
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
        <main\(mainAttributes)>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private var mainAttributes: Markup? { isWide ? " class=\"wide\"" : nil }

    /// The logo, hidden from assistive technology.
    private static let gate: Markup = """
        <svg width="28" height="28" viewBox="0 0 28 28" aria-hidden="true" focusable="false">
        <path fill="currentColor" fill-rule="evenodd" d="M3 4h4v3h4V4h6v3h4V4h4v21h-6v-7a5 5 0 0 0-10 0v7H3z"/>
        </svg>
        """
}

/// A form with hidden fields that is sent by POST.
struct PageForm {
    let action: String
    let hidden: [(name: String, value: String)]
    let content: Markup

    var markup: Markup {
        """
        <form method="post" action="\(action)">
        \(hidden.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">\n" as Markup })\
        \(content)
        </form>
        """
    }
}

/// The problem with the previous input. Screen readers announce it, and the fields refer to it.
struct PageProblem {
    let text: String?

    /// Returns the attributes of a field with the problem.
    ///
    /// - Parameter hint: The id of an element that describes the field.
    func attributes(hint: String? = nil) -> Markup {
        let names = [text == nil ? nil : "problem", hint].compactMap(\.self).joined(separator: " ")
        let isDescribed: Markup? = names.isEmpty ? nil : " aria-describedby=\"\(names)\""
        let isInvalid: Markup? = text == nil ? nil : " aria-invalid=\"true\""
        return "\(isDescribed)\(isInvalid)"
    }

    var markup: Markup? {
        text.map { "<p class=\"problem\" id=\"problem\" role=\"alert\">\($0)</p>" }
    }
}

/// A page with a message, such as "The device is connected. You can close this page."
struct MessagePage: Page {
    let title: String
    let message: String
    /// A Boolean value that indicates whether the message is about a problem.
    var isProblem = false

    var html: String {
        let message: Markup =
            isProblem ? "\(PageProblem(text: message).markup)" : "<p class=\"lead\" role=\"status\">\(message)</p>"
        return PageLayout(title: title, content: "<h1>\(title)</h1>\n\(message)").html
    }
}
