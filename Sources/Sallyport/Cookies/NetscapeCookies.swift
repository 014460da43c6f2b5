import Foundation

/// The text format `cookies.txt`, introduced by Netscape and read by curl, wget and others: seven columns separated by tabs.
enum NetscapeCookies {
    private static let httpOnlyPrefix = "#HttpOnly_"

    /// Returns the text for cookies, except for cookies with a tab in their name or path, which the format cannot represent.
    static func text(_ cookies: [Cookie]) -> String {
        let header = "# Netscape HTTP Cookie File\n# Written by Sallyport.\n\n"
        return header + cookies.filter { !$0.name.contains("\t") && !$0.path.contains("\t") }.map(line).joined()
    }

    /// Parses all cookies of a text.
    ///
    /// - Throws: ``CookieFileError/malformedLine(number:problem:)`` for the first line that is not a cookie.
    static func cookies(in text: String) throws(CookieFileError) -> [Cookie] {
        var cookies: [Cookie] = []
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, octets) in lines.enumerated() {
            let isReturn = octets.last == UInt8(ascii: "\r")
            let line = Substring(isReturn ? octets.dropLast() : octets)
            let isHTTPOnly = line.hasPrefix(httpOnlyPrefix)
            if line.hasPrefix("#") && !isHTTPOnly || line.utf8.trimmedText.isEmpty { continue }
            let row = isHTTPOnly ? line.dropFirst(httpOnlyPrefix.count) : line
            do {
                cookies.append(try cookie(row, isHTTPOnly: isHTTPOnly))
            } catch {
                throw .malformedLine(number: index + 1, problem: error.text)
            }
        }
        return cookies
    }

    private struct Problem: Error {
        let text: String
    }

    private static func line(_ cookie: Cookie) -> String {
        let seconds = cookie.expiresDate.map { $0.timeIntervalSince1970.rounded(.up) } ?? 0
        let fields = [
            (cookie.isHTTPOnly ? httpOnlyPrefix : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
            cookie.isHostOnly ? "FALSE" : "TRUE",
            cookie.path,
            cookie.isSecure ? "TRUE" : "FALSE",
            String(Int64(exactly: seconds) ?? 0),
            cookie.name,
            cookie.value,
        ]
        return fields.joined(separator: "\t") + "\n"
    }

    /// Parses one line. The seventh column, the value, may be missing, and may contain tabs.
    private static func cookie(_ line: Substring, isHTTPOnly: Bool) throws(Problem) -> Cookie {
        let fields = line.utf8.split(separator: UInt8(ascii: "\t"), maxSplits: 6, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard fields.count >= 6 else { throw Problem(text: "it has \(fields.count) of 7 columns") }
        guard let expiry = TimeInterval(fields[4]), expiry.isFinite else {
            throw Problem(text: "the expiry in column 5 is not a number of seconds")
        }
        let cookie = Cookie(
            name: fields[5],
            value: fields.count > 6 ? fields[6] : "",
            domain: fields[0],
            path: fields[2],
            expiresDate: expiry == 0 ? nil : Date(timeIntervalSince1970: expiry),
            isSecure: try flag(fields[3], column: 4),
            isHTTPOnly: isHTTPOnly,
            isHostOnly: try !flag(fields[1], column: 2)
        )
        if let defect = cookie.defect { throw Problem(text: defect) }
        return cookie
    }

    private static func flag(_ text: String, column: Int) throws(Problem) -> Bool {
        switch text.uppercased() {
        case "TRUE": return true
        case "FALSE": return false
        default: throw Problem(text: "column \(column) is neither TRUE nor FALSE")
        }
    }
}
