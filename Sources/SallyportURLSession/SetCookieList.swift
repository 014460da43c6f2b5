import SallyportTransport

/// The cookies in a `Set-Cookie` value that Foundation joined from several fields with commas.
///
/// A comma separates two cookies where a name and an equals sign follow it; the one in a date does not.
struct SetCookieList {
    let cookies: [String]

    init(_ joined: String) {
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
