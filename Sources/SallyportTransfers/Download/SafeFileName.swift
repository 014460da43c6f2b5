import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// Makes untrusted file names safe, such as a name from a server.
///
/// A file with a safe name is created in the intended folder, is visible there, and can be copied to other systems.
package enum SafeFileName {
    /// The name of a file if no other name can be used.
    package static let fallback = "download"

    /// The maximum length of a name in common file systems, in bytes of UTF-8.
    package static let maximumLength = 255

    /// The maximum length of a filename extension; a longer suffix may be truncated.
    private static let maximumExtensionLength = 32

    /// Returns the first of several names that is not empty after it has been made safe; ``fallback`` if there is none.
    ///
    /// Only the last component of a path is used. Control characters, characters that change the direction of text, and
    /// invisible characters are removed, as are dots at the beginning, and dots and spaces at the end. Characters that
    /// Windows forbids become underscores. A name that begins with a dash, which a command would parse as an option,
    /// and a name that Windows reserves are prefixed by an underscore. A long name is truncated before its extension.
    ///
    /// - Parameters:
    ///   - names: The names, in order of preference.
    ///   - limit: The maximum length in bytes of UTF-8, at least 64.
    package static func make(_ names: String?..., limit: Int = maximumLength) -> String {
        for case let name? in names {
            let safe = truncate(withoutSpecialMeaning(trimmed(clean(lastPart(of: name)))), to: max(limit, 64))
            if !safe.isEmpty { return safe }
        }
        return fallback
    }

    /// Returns a safe name from the last component of a URL's path; ``fallback`` if there is none.
    static func make(ofURL url: String) -> String { make(lastPathPart(of: url)) }

    private static func lastPart(of path: String) -> String.UnicodeScalarView {
        let parts = path.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        let last = parts.last { part in !part.allSatisfy { $0 == "." || $0.properties.isWhitespace } }
        return last.map { String.UnicodeScalarView($0) } ?? String.UnicodeScalarView()
    }

    private static func clean(_ name: String.UnicodeScalarView) -> String.UnicodeScalarView {
        var clean = String.UnicodeScalarView()
        for scalar in name where !isRemoved(scalar) { clean.append(forbidden.contains(scalar) ? "_" : scalar) }
        return clean
    }

    private static let forbidden: Set<Unicode.Scalar> = [":", "*", "?", "\"", "<", ">", "|"]

    private static func isRemoved(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl || scalar == "\u{200B}" || scalar == "\u{2060}" || scalar == "\u{FEFF}"
        }
    }

    /// Removes dots and white space at both ends, and invisible characters at the beginning: on a file system that
    /// ignores them, a dot after one of them would be the first character.
    private static func trimmed(_ name: String.UnicodeScalarView) -> String.UnicodeScalarView {
        let start = name.drop { scalar in
            scalar == "." || scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        }
        guard let last = start.lastIndex(where: { $0 != "." && !$0.properties.isWhitespace }) else { return .init() }
        return String.UnicodeScalarView(start[...last])
    }

    /// Returns the name with an underscore as its prefix if commands would parse it as an option, such as `-rf`, or if
    /// Windows would open a device, such as `con`, regardless of the extension.
    private static func withoutSpecialMeaning(_ name: String.UnicodeScalarView) -> String {
        let stem = String(String.UnicodeScalarView(name.prefix { $0 != "." })).lowercased()
        let word = stem.trimmingSuffix { $0 == " " }
        let isPort = word.count == 4 && (word.hasPrefix("com") || word.hasPrefix("lpt")) && word.last?.isNumber == true
        let isReserved = isPort || ["con", "prn", "aux", "nul"].contains(word)
        return (isReserved || name.first == "-" ? "_" : "") + String(name)
    }

    private static func truncate(_ name: String, to limit: Int) -> String {
        if name.utf8.count <= limit { return name }
        var ending = ""
        if let dot = name.unicodeScalars.lastIndex(of: "."), name[dot...].utf8.count <= maximumExtensionLength {
            ending = String(name[dot...])
        }
        let stem = beginning(of: String(name.dropLast(ending.count)), bytes: limit - ending.utf8.count)
        return String(trimmed((stem + ending).unicodeScalars))
    }

    /// Returns the longest prefix of complete characters that fits, or of code points if not even the first character
    /// fits.
    private static func beginning(of text: String, bytes limit: Int) -> String {
        var bytes = 0
        let characters = text.prefix { character in
            bytes += character.utf8.count
            return bytes <= limit
        }
        if !characters.isEmpty { return String(characters) }
        bytes = 0
        let scalars = text.unicodeScalars.prefix { scalar in
            bytes += UTF8.width(scalar)
            return bytes <= limit
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension String {
    fileprivate func trimmingSuffix(while isUnwanted: (Character) -> Bool) -> Substring {
        lastIndex { !isUnwanted($0) }.map { self[...$0] } ?? ""
    }
}

/// Returns a safe name for a downloaded file: the name from the server, or else the last component of the URL's path.
///
/// - Parameters:
///   - response: The response. Its `Content-Disposition` may contain a name.
///   - url: The URL from which it came.
///   - limit: The maximum length in bytes of UTF-8, for callers that append to the name.
package func suggestedFileName(
    from response: HttpResponse,
    url: String,
    limit: Int = SafeFileName.maximumLength
) -> String {
    SafeFileName.make(
        response.headers.fields.contentDisposition?.filename,
        lastPathPart(of: url),
        limit: limit
    )
}

/// Returns the last component of a URL's path, percent-decoded; `nil` if there is none.
private func lastPathPart(of url: String) -> String? {
    let hierarchy = url.prefix { $0 != "?" && $0 != "#" }
    guard let authority = hierarchy.range(of: "//")?.upperBound, let path = hierarchy[authority...].firstIndex(of: "/")
    else { return nil }
    let last = hierarchy[path...].split(separator: "/").last.map(String.init)
    return last.map { $0.removingPercentEncoding ?? $0 }
}
