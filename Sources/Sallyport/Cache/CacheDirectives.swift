import HTTPTypes
import SallyportTransport

/// The directives of all `Cache-Control` fields of a message (RFC 9111, section 5.2).
///
/// Names are not case-sensitive, and an argument may be a token or a quoted string. A directive that appears more than once has the most
/// restrictive of its meanings.
struct CacheDirectives: Sendable, Hashable {
    /// The greatest number of seconds. A greater one, also one that cannot be represented, has this value (RFC 9111, section 1.2.2).
    static let maximumSeconds = 1 << 31

    /// The arguments of each directive, by its name in lower case. The argument of a directive without one is `nil`.
    private var arguments: [String: [String?]] = [:]

    init(_ fields: HTTPFields) {
        for value in fields[values: .cacheControl] { parse(value) }
    }

    /// Returns a Boolean value that indicates whether a directive is present, with or without an argument.
    func contains(_ name: String) -> Bool { arguments[name] != nil }

    /// Returns a Boolean value that indicates whether a directive is present without an argument. An empty argument counts as none.
    func containsUnqualified(_ name: String) -> Bool {
        arguments[name]?.contains { $0?.isEmpty ?? true } ?? false
    }

    /// Returns the shortest of a directive's durations in seconds; `nil` if the directive is not present.
    ///
    /// A missing or invalid argument counts as zero, which makes a response stale (RFC 9111, section 4.2.1).
    func seconds(_ name: String) -> Int? {
        arguments[name]?.map { Self.seconds($0 ?? "") ?? 0 }.min()
    }

    /// Returns the longest of a directive's durations in seconds; `nil` if the directive is not present or none of its arguments is valid.
    ///
    /// Use it for a directive such as `min-fresh`, where a longer duration is more restrictive.
    func longestSeconds(_ name: String) -> Int? {
        arguments[name]?.compactMap { $0.flatMap(Self.seconds) }.max()
    }

    /// Returns `true` if a directive such as `no-cache` applies to the complete response: it has no field names, or an invalid one, so that
    /// the fields to which it applies are unknown.
    func appliesToCompleteResponse(_ name: String) -> Bool {
        (arguments[name] ?? []).contains { argument in
            let members = Self.members(of: argument)
            return members.isEmpty || members.contains { HTTPField.Name($0) == nil }
        }
    }

    /// Returns the valid field names in the arguments of a directive such as `no-cache="Set-Cookie, X-A"`.
    func fieldNames(_ name: String) -> [HTTPField.Name] {
        (arguments[name] ?? []).flatMap { Self.members(of: $0) }.compactMap { HTTPField.Name($0) }
    }

    private static func members(of argument: String?) -> [String] {
        (argument ?? "").split(separator: ",").map { String($0.trimmingBlanks()) }.filter { !$0.isEmpty }
    }

    /// Returns a number of seconds (RFC 9111, section 1.2.2); `nil` if the text has other characters than digits.
    static func seconds(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Int(text) ?? maximumSeconds, maximumSeconds)
    }

    private mutating func parse(_ value: String) {
        for directive in Self.split(value) {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].trimmingBlanks().lowercased()
            if name.isEmpty { continue }
            arguments[name, default: []].append(parts.count > 1 ? Self.unquoted(parts[1]) : nil)
        }
    }

    /// Returns the members of a list, which commas separate except in quoted strings (RFC 9110, section 5.6.1).
    static func split(_ value: String) -> [Substring] {
        var members: [Substring] = []
        var start = value.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in value.utf8.indices {
            let byte = value.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                members.append(value[start..<index])
                start = value.utf8.index(after: index)
            }
        }
        return members + [value[start...]]
    }

    /// Returns the content of a quoted string, and any other text unchanged.
    private static func unquoted(_ text: Substring) -> String {
        guard text.utf8.first == UInt8(ascii: "\"") else {
            // A blank after the equals sign is not allowed, and makes a number invalid.
            return text.utf8.first?.isBlank == true ? String(text) : String(text.trimmingBlanks())
        }
        var content = ""
        var isEscaped = false
        for character in text.unicodeScalars.dropFirst() {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else if !isEscaped, character == "\"" {
                break
            } else {
                content.unicodeScalars.append(character)
                isEscaped = false
            }
        }
        return content
    }
}
