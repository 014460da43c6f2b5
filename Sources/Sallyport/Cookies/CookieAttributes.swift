import Foundation

/// The attributes of one `Set-Cookie` field (RFC 6265bis sections 5.6.1 to 5.6.7). The last attribute of a name takes precedence.
struct CookieAttributes {
    /// The maximum size of an attribute's value in octets. An attribute with a longer value is ignored.
    static let maximumSize = 1024

    private(set) var domain = ""
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSitePolicy: Cookie.SameSitePolicy?
    private var expires: Date?
    private var maximumAge: Date?

    /// The date at which the cookie expires. `Max-Age` takes precedence over `Expires`.
    var expiresDate: Date? { maximumAge ?? expires }

    /// Returns a Boolean value that indicates whether a part between semicolons is an attribute rather than a cookie.
    static func isName(_ part: Substring) -> Bool {
        let name = part.prefix { $0 != "=" }.utf8[...].trimmedText.lowercased()
        return ["expires", "max-age", "domain", "path", "secure", "httponly", "samesite", "partitioned"].contains(name)
    }

    /// Parses the parts between semicolons that follow the name and value.
    init(_ attributes: ArraySlice<Substring.UTF8View>, now: Date) {
        for attribute in attributes {
            let parts = attribute.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].trimmedText : ""
            guard value.utf8.count <= CookieAttributes.maximumSize else { continue }
            apply(name: parts[0].trimmedText.lowercased(), value: value, now: now)
        }
    }

    private mutating func apply(name: String, value: String, now: Date) {
        let latest = now.addingTimeInterval(Cookie.maximumLifetime)
        switch name {
        case "expires":
            if let date = CookieDate.parse(value) { expires = min(date, latest) }
        case "max-age":
            if let seconds = CookieAttributes.seconds(value) {
                maximumAge = seconds > 0 ? min(now.addingTimeInterval(seconds), latest) : .distantPast
            }
        case "domain":
            domain = value.hasPrefix(".") ? String(value.dropFirst()) : value
        case "path":
            path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure":
            isSecure = true
        case "httponly":
            isHTTPOnly = true
        case "samesite":
            sameSitePolicy = CookieAttributes.policy(value)
        default:
            break
        }
    }

    private static func seconds(_ text: String) -> TimeInterval? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        if digits.count < text.utf8.count { return -1 }
        return TimeInterval(Int(text) ?? Int.max)
    }

    private static func policy(_ text: String) -> Cookie.SameSitePolicy? {
        switch text.lowercased() {
        case "strict": .strict
        case "lax": .lax
        case "none": Cookie.SameSitePolicy.none
        default: nil
        }
    }
}
