import Foundation
import Sallyport
import SallyportTransport

/// Makes what a server says safe to show: bounded, on one line, and without the secrets that were sent to it.
enum ServerWords {
    static let longest = 300

    static func shown(_ text: String, without secrets: [String] = []) -> String {
        var text = String(text.prefix(4096))
        for secret in secrets where secret.utf8.count >= 6 { text = text.replacing(secret, with: "***") }
        return VisibleText.line(Redaction.text(text), longest: longest)
    }
}
