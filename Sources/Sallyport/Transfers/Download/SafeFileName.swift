import Foundation
import HTTPTypes
import SallyportTransport

/// A name for a file out of one that somebody else chose, such as a server.
///
/// Whatever that one is, the file is in the folder that it is put in, can be seen there, and can be copied to other systems.
package enum SafeFileName {
    /// The name of a file for which there is no better one.
    package static let fallback = "download"

    /// The longest name that file systems take, in bytes of UTF-8.
    package static let longest = 255

    /// An ending that is longer is no file's type, and may be cut.
    private static let longestEnding = 32

    /// The first of the names of which something is left, made safe; ``fallback`` if there is none.
    ///
    /// Of a path only its last part counts. Control characters, those that change the direction of text and those that
    /// cannot be seen are left out, and so are dots at the beginning, and dots and blanks at the end. What Windows does
    /// not allow becomes an underscore. A name that begins with a dash, which a command would take for an option, and one
    /// that is reserved on Windows get an underscore in front. A long name is cut before its ending.
    ///
    /// - Parameters:
    ///   - names: The names, the best first.
    ///   - limit: How many bytes of UTF-8 it may have, at least 64.
    package static func make(_ names: String?..., limit: Int = longest) -> String {
        for case let name? in names {
            let safe = cut(withoutSpecialMeaning(trimmed(clean(lastPart(of: name)))), to: max(limit, 64))
            if !safe.isEmpty { return safe }
        }
        return fallback
    }

    private static func lastPart(of path: String) -> String.UnicodeScalarView {
        let parts = path.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        let last = parts.last { part in !part.allSatisfy { $0 == "." || $0.properties.isWhitespace } }
        return last.map { String.UnicodeScalarView($0) } ?? String.UnicodeScalarView()
    }

    private static func clean(_ name: String.UnicodeScalarView) -> String.UnicodeScalarView {
        var clean = String.UnicodeScalarView()
        for scalar in name where !isLeftOut(scalar) { clean.append(forbidden.contains(scalar) ? "_" : scalar) }
        return clean
    }

    private static let forbidden: Set<Unicode.Scalar> = [":", "*", "?", "\"", "<", ">", "|"]

    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl || scalar == "\u{200B}" || scalar == "\u{2060}" || scalar == "\u{FEFF}"
        }
    }

    /// Some file systems skip characters that cannot be seen, so that a dot after one of them is the first.
    private static func trimmed(_ name: String.UnicodeScalarView) -> String.UnicodeScalarView {
        let start = name.drop { scalar in
            scalar == "." || scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        }
        guard let last = start.lastIndex(where: { $0 != "." && !$0.properties.isWhitespace }) else { return .init() }
        return String.UnicodeScalarView(start[...last])
    }

    /// Returns the name with an underscore in front if commands would take it for an option, as `-rf`, or Windows for a
    /// device, as `con` and a few more whatever their ending.
    private static func withoutSpecialMeaning(_ name: String.UnicodeScalarView) -> String {
        let stem = String(String.UnicodeScalarView(name.prefix { $0 != "." })).lowercased()
        let word = stem.trimmingSuffix { $0 == " " }
        let isPort = word.count == 4 && (word.hasPrefix("com") || word.hasPrefix("lpt")) && word.last?.isNumber == true
        let isReserved = isPort || ["con", "prn", "aux", "nul"].contains(word)
        return (isReserved || name.first == "-" ? "_" : "") + String(name)
    }

    private static func cut(_ name: String, to limit: Int) -> String {
        if name.utf8.count <= limit { return name }
        var ending = ""
        if let dot = name.unicodeScalars.lastIndex(of: "."), name[dot...].utf8.count <= longestEnding {
            ending = String(name[dot...])
        }
        let stem = beginning(of: String(name.dropLast(ending.count)), bytes: limit - ending.utf8.count)
        let cut = trimmed((stem + ending).unicodeScalars)
        return String(cut)
    }

    /// As many whole characters as there is room for; if not even one, as many of its code points.
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

/// The name under which to keep what was downloaded: the server's, else the last part of the URL's path, made safe.
///
/// - Parameters:
///   - response: The response, whose `Content-Disposition` comes first.
///   - url: The URL from which it came.
///   - limit: How many bytes of UTF-8 the name may have, for callers that add to it.
package func suggestedFileName(
    from response: HttpResponse,
    url: String,
    limit: Int = SafeFileName.longest
) -> String {
    SafeFileName.make(
        response.headers.fields.contentDisposition?.filename,
        lastPathPart(of: url),
        limit: limit
    )
}

/// The last part of a URL's path, without its percent signs; `nil` if the URL has none.
private func lastPathPart(of url: String) -> String? {
    let hierarchy = url.prefix { $0 != "?" && $0 != "#" }
    guard let authority = hierarchy.range(of: "//")?.upperBound, let path = hierarchy[authority...].firstIndex(of: "/")
    else { return nil }
    let last = hierarchy[path...].split(separator: "/").last.map(String.init)
    return last.map { $0.removingPercentEncoding ?? $0 }
}
