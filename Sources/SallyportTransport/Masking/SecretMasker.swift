import Foundation
import HTTPTypes

/// Masks the secrets of requests and responses, and collects their values.
///
/// A secret is first found by its name, in any of the forms that text has: URLs and forms, header fields, JSON, XML and HTML, lines such
/// as `name: value`, tables, and keys in PEM. ``masked(_:)`` then masks the values that were found also where no name precedes them.
/// The time is linear in the length of the text.
package struct SecretMasker: Sendable {
    /// The use of the masked text.
    package enum Style: Sendable {
        /// People read it. A secret array or object is masked as a whole, and the members of JSON are sorted.
        case display
        /// A program replays it. Everything except for the secrets is preserved, and a secret number becomes 0.
        case replayable
    }

    package static let mask = "***"
    static let maskBytes = Array(mask.utf8)

    /// The maximum number of encodings in one another that are searched for secrets. Deeper text is masked: each level may double the
    /// work, and the text may come from an attacker.
    static let maximumDepth = 4

    let policy: SecretPolicy
    private(set) var style: Style
    /// The values of the secrets that were found, and the values of the policy.
    package internal(set) var values = SecretValues()
    /// A Boolean value that indicates whether the client itself sent the text.
    package var isSent = false
    /// The number of encodings that have been decoded.
    var depth = 0

    package init(_ policy: SecretPolicy = .standard, style: Style) {
        self.policy = policy
        self.style = style
        for value in policy.values { values.insert(value.utf8) }
    }

    mutating func collect(_ value: some Collection<UInt8>) { values.insert(value, isSent: isSent) }

    /// Returns a text with the found values masked.
    package func masked(_ text: String) -> String { values.masked(text) }

    /// The maximum size in bytes of a sent body. A larger one is not searched.
    private static let maximumSentSize = 64 << 10

    /// Collects the secrets that the client sends, so that they are masked wherever they reappear.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - fields: The header fields.
    ///   - body: The body; `nil` to omit it. A body that is longer than 64 KiB is not searched.
    package mutating func collectSent(url: String, fields: HTTPFields, body: Data?) {
        let previous = (style, isSent)
        defer { (style, isSent) = previous }
        isSent = true
        _ = text(url)
        for field in fields { _ = value(of: field) }
        if let body, body.count <= Self.maximumSentSize {
            // This style searches bodies of every type, and inside secret arrays and objects.
            style = .replayable
            _ = self.body(body, type: fields[.contentType])
        }
        // A text without the server's name would not say what failed.
        values.remove(partsOf: Self.origin(of: url))
    }

    /// Returns the scheme and the host of a URL.
    private static func origin(of url: String) -> [UInt8] {
        let start = url.range(of: "://").map(\.upperBound) ?? url.startIndex
        let authority = url[start...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return Array("\(url[..<start])\(host)".utf8)
    }
}

// MARK: Header fields

extension SecretMasker {
    /// Returns fields with secrets masked.
    package mutating func fields(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        for field in fields {
            var copy = field
            copy.value = value(of: field)
            result.append(copy)
        }
        return result
    }

    /// Returns a Boolean value that indicates whether the complete value of a field is a secret, because of its mark or its name.
    func isSecret(_ field: HTTPField) -> Bool {
        field.indexingStrategy == .disallow || policy.isSecret(field.name.canonicalName)
    }

    /// Returns the value of a field with secrets masked.
    package mutating func value(of field: HTTPField) -> String {
        switch field.name {
        case .authorization, .proxyAuthorization:
            let masked = credentials(field.value)
            return style == .display ? Self.mask : masked
        case .cookie:
            let masked = field.value.split(separator: ";", omittingEmptySubsequences: false).map { cookie($0) }
            return style == .display ? Self.mask : masked.joined(separator: ";")
        case .setCookie:
            let pair = field.value.prefix { $0 != ";" }
            let masked = cookie(pair) + field.value[pair.endIndex...]
            return style == .display ? Self.mask : masked
        case .wwwAuthenticate, .proxyAuthenticate:
            return String(decoding: challenges(Array(field.value.utf8)), as: UTF8.self)
        default:
            guard isSecret(field) else { return String(decoding: nested(Array(field.value.utf8)), as: UTF8.self) }
            collect(field.value.utf8)
            return Self.mask
        }
    }

    /// Returns credentials, such as `Bearer ***`.
    mutating func credentials(_ value: String) -> String {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard let credentials = parts.last else { return value }
        collect(credentials.utf8)
        guard parts.count == 2 else { return Self.mask }
        let scheme = parts[0].lowercased()
        if scheme == "basic", let data = Data(base64Encoded: String(credentials)) {
            let user = data.prefix { $0 != UInt8(ascii: ":") }
            let password = [UInt8](data).dropFirst(user.count + 1)
            collect(password)
            // OAuth encodes it as in a form (RFC 6749, section 2.3.1). The keys of some APIs are users without a password.
            collect(Self.decoded(password))
            if password.isEmpty { collect(user) }
        }
        for parameter in credentials.split(separator: ",") where parameter.utf8.contains(UInt8(ascii: "=")) {
            let pair = parameter.trimmingBlanks()
            // Other texts use the name `response` too.
            if scheme == "digest", pair.hasPrefix("response=") {
                collect(pair.utf8.dropFirst(9).filter { $0 != UInt8(ascii: "\"") })
            } else {
                _ = text(String(pair))
            }
        }
        return "\(parts[0]) \(Self.mask)"
    }

    /// Returns a pair of a name and a value. All values of cookies are masked.
    private mutating func cookie(_ pair: Substring) -> String {
        guard let equals = pair.firstIndex(of: "=") else {
            return pair.trimmingBlanks().isEmpty ? String(pair) : Self.mask
        }
        let name = pair[..<equals].trimmingBlanks()
        let value = pair[equals...].dropFirst().trimmingBlanks()
        if value.isEmpty || policy.isPublic(name) { return String(pair) }
        // Short values of other cookies are settings, such as a language.
        if value.utf8.count >= 16 || policy.isSecret(name) {
            let decoded = Self.decoded(Array(value.utf8)[...])
            if decoded.starts(with: "http".utf8), decoded.containsText("://") {
                // Secrets are in parts of the URL of another page.
                _ = text(decoded[...])
            } else {
                collect(value.utf8)
                collect(decoded)
            }
        }
        return pair[...equals] + Self.mask
    }

    /// Returns challenges of `WWW-Authenticate` (RFC 9110, section 11.6.1). Their parameters are shown, apart from secrets in their
    /// values; a token, as of Negotiate, is masked.
    mutating func challenges(_ bytes: [UInt8]) -> [UInt8] {
        var isQuoted = false
        let elements = bytes.split(omittingEmptySubsequences: false) { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        let masked = elements.map { element -> [UInt8] in
            let content = element.trimmingBlanks()
            if let space = content.firstIndex(of: 0x20), !content[..<space].contains(UInt8(ascii: "=")) {
                let token = content[space...].trimmingBlanks()
                let characters = token.prefix { $0.isAlphanumeric || "-._~+/".utf8.contains($0) }
                if !token.isEmpty, token[characters.endIndex...].allSatisfy({ $0 == UInt8(ascii: "=") }) {
                    collect(token)
                    return element[..<token.startIndex] + Self.maskBytes
                }
            }
            guard let equals = element.firstIndex(of: UInt8(ascii: "=")) else { return Array(element) }
            return element[...equals] + text(element[element.index(after: equals)...])
        }
        return Array(masked.joined(separator: [UInt8(ascii: ",")]))
    }
}

// MARK: Bodies

extension SecretMasker {
    /// Returns a body with secrets masked; `nil` if it cannot be searched for them.
    ///
    /// For display, bodies that are not text cannot be searched. In a recording they are unchanged.
    package mutating func body(_ body: Data, type: String?) -> Data? {
        if body.isEmpty { return body }
        if style == .replayable, depth <= Self.maximumDepth, let boundary = MultipartText.boundary(of: type) {
            depth += 1
            defer { depth -= 1 }
            return MultipartText.mapParts(of: body, boundary: boundary) { name, type, content in
                guard let name, policy.isSecret(name) else { return self.body(content, type: type) ?? content }
                collect(content)
                return Data(Self.maskBytes)
            }
        }
        let encoding = TextEncoding(of: body, type: type)
        guard style == .display || encoding.isText || Self.isText(type) else { return body }
        guard style == .replayable || Self.isText(type) else { return nil }
        let text = encoding.decode(body)
        guard let masked = bodyText(Array(text.utf8), type: type) else { return nil }
        if style == .display { return Data(masked) }
        return masked.elementsEqual(text.utf8) ? body : encoding.encode(String(decoding: masked, as: UTF8.self))
    }

    /// Returns `true` if a media type is a type of text. A body without a type may be JSON.
    private static func isText(_ contentType: String?) -> Bool {
        let type = mediaType(contentType)
        return type.isEmpty || isJson(contentType) || isForm(contentType) || isXml(contentType)
            || type.hasSuffix("html") || type.hasPrefix("text/") || textTypes.contains(type)
    }

    private static let textTypes: Set = [
        "application/javascript", "application/x-ndjson", "application/jsonl", "application/json-seq",
        "application/graphql", "application/yaml", "application/x-yaml", "application/toml", "application/sql",
        "application/csv", "application/x-pem-file", "application/pem-certificate-chain",
    ]

    private mutating func bodyText(_ bytes: [UInt8], type contentType: String?) -> [UInt8]? {
        let type = mediaType(contentType)
        if isForm(contentType) { return form(bytes[...]) }
        if let json = json(bytes, allowsFragments: style == .display) {
            return style == .display ? Self.sortedJson(json) ?? json : json
        }
        if style == .display, isJson(contentType) || type.isEmpty { return nil }
        var bytes = pem(bytes)
        if let markup = Markup(bytes, type: type) { bytes = masked(bytes, as: markup) }
        if type.hasSuffix("csv") || type == "text/tab-separated-values" { bytes = table(bytes) }
        if type.hasSuffix("yaml") { bytes = yamlBlocks(bytes) }
        return lines(quotedValues(bytes))
    }

    /// Returns JSON with its members in alphabetical order.
    private static func sortedJson(_ json: [UInt8]) -> [UInt8]? {
        guard let value = try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed) else {
            return nil
        }
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: value, options: options)).map(Array.init)
    }
}

/// Returns a media type in lower case, without parameters; empty if there is none.
private func mediaType(_ contentType: String?) -> String {
    String((contentType ?? "").lowercased().prefix { $0 != ";" && $0 != " " })
}

/// The encoding of a text body.
private enum TextEncoding {
    case utf8
    case singleByte
    case utf16(isLittleEndian: Bool, hasMark: Bool)
    case other

    /// Finds the encoding by the byte order mark, the charset of the media type, or the zero bytes of UTF-16.
    init(of body: Data, type: String?) {
        let start = [UInt8](body.prefix(4))
        let charset = BodyText.charset(of: type)
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            self = .utf16(isLittleEndian: start[0] == 0xFF, hasMark: true)
        } else if charset?.hasPrefix("utf-16") == true {
            self = .utf16(isLittleEndian: charset != "utf-16be", hasMark: false)
        } else if start.count == 4, start[1] == 0, start[3] == 0, start[0] != 0, start[2] != 0 {
            self = .utf16(isLittleEndian: true, hasMark: false)
        } else if start.count == 4, start[0] == 0, start[2] == 0, start[1] != 0, start[3] != 0 {
            self = .utf16(isLittleEndian: false, hasMark: false)
        } else if BodyText.isSingleByte(type) {
            self = .singleByte
        } else {
            self = String(data: body, encoding: .utf8) == nil ? .other : .utf8
        }
    }

    /// A Boolean value that indicates whether the bytes show that the body is text.
    var isText: Bool {
        switch self {
        case .utf8, .utf16: true
        case .singleByte, .other: false
        }
    }

    func decode(_ body: Data) -> String {
        switch self {
        case .utf8: return String(decoding: body, as: UTF8.self)
        // ISO 8859-1 preserves each byte.
        case .singleByte, .other: return String(data: body, encoding: .isoLatin1) ?? ""
        case .utf16(let isLittleEndian, let hasMark):
            let type = isLittleEndian ? "text/plain; charset=utf-16le" : "text/plain; charset=utf-16be"
            return BodyText.decode(hasMark ? body.dropFirst(2) : body, contentType: type)
        }
    }

    func encode(_ text: String) -> Data {
        switch self {
        case .utf8: return Data(text.utf8)
        case .singleByte, .other: return text.data(using: .isoLatin1, allowLossyConversion: true) ?? Data(text.utf8)
        case .utf16(let isLittleEndian, let hasMark):
            let mark: [UInt8] = hasMark ? (isLittleEndian ? [0xFF, 0xFE] : [0xFE, 0xFF]) : []
            return Data(
                mark
                    + text.utf16.flatMap { unit in
                        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                        return isLittleEndian ? [low, high] : [high, low]
                    }
            )
        }
    }
}
