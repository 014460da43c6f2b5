import HTTPTypes

/// The cookies in a `Set-Cookie` value that a platform joined from several fields: with commas, as Foundation does, or with line breaks.
///
/// A comma separates two cookies if a name and an equals sign follow it. In a date, no name and equals sign follow the comma.
package struct SetCookieList: Sendable {
    package let cookies: [String]

    package init(_ joined: String) {
        let lines = joined.split { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        cookies = lines.isEmpty ? [""] : lines.flatMap(Self.cookies)
    }

    /// Returns the cookies in a line, without spaces and tabs at both ends.
    private static func cookies(in line: Substring) -> [String] {
        var cookies: [String] = []
        for part in line.split(separator: ",", omittingEmptySubsequences: false) {
            if let last = cookies.last, !beginsCookie(part) {
                cookies[cookies.count - 1] = last + "," + part
            } else {
                cookies.append(String(part))
            }
        }
        return cookies.map { String($0.trimmingBlanks()) }
    }

    private static func beginsCookie(_ part: Substring) -> Bool {
        let text = part.drop { $0 == " " }
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return false }
        return text[..<equals].allSatisfy { $0.isASCII && !" \t;\"/[]?={}()<>@\\".contains($0) }
    }
}

extension HTTPFields {
    /// Appends a field of a platform that joins the values of a name, such as Foundation. The cookies of a `Set-Cookie` value are
    /// separated, and other values remain joined.
    ///
    /// - Returns: `false` if the name is not a token of RFC 9110 or the value contains a control character. Nothing is then appended.
    @discardableResult
    package mutating func append(joined name: String, _ value: String) -> Bool {
        let value = String(value.trimmingBlanks())
        guard let name = HTTPField.Name(name) else { return false }
        let parts = name == .setCookie ? SetCookieList(value).cookies : [value]
        guard parts.allSatisfy(HTTPField.isValidValue) else { return false }
        for part in parts { append(HTTPField(name: name, value: part)) }
        return true
    }
}
