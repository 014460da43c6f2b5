/// The cookies in a `Set-Cookie` value that a platform joined from several fields with commas, as Foundation does.
///
/// A comma separates two cookies if a name and an equals sign follow it. In a date, no name and equals sign follow the comma.
package struct SetCookieList: Sendable {
    package let cookies: [String]

    package init(_ joined: String) {
        var cookies: [String] = []
        for part in joined.split(separator: ",", omittingEmptySubsequences: false) {
            if let last = cookies.last, !Self.beginsCookie(part) {
                cookies[cookies.count - 1] = last + "," + part
            } else {
                cookies.append(String(part.drop { $0 == " " }))
            }
        }
        self.cookies = cookies
    }

    private static func beginsCookie(_ part: Substring) -> Bool {
        let text = part.drop { $0 == " " }
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return false }
        return text[..<equals].allSatisfy { $0.isASCII && !" \t;\"/[]?={}()<>@\\".contains($0) }
    }
}
