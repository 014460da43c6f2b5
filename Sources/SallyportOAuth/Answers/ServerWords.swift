import Foundation
import Sallyport

/// What a server says, made fit to be shown: bounded, on one line, and without what was sent to it in confidence.
enum ServerWords {
    static let longest = 300

    static func shown(_ text: String, without secrets: [String] = []) -> String {
        var text = String(text.prefix(4096))
        for secret in secrets where secret.utf8.count >= 6 { text = text.replacing(secret, with: "***") }
        let scalars = Redaction.text(text).unicodeScalars.map { isPrintable($0) ? $0 : "?" }
        let shown = String(String.UnicodeScalarView(scalars))
        return shown.count > longest ? shown.prefix(longest) + "…" : shown
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
