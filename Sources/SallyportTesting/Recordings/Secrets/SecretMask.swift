import Foundation
import HTTPTypes
import Sallyport
import SallyportTransport

/// Masks the secrets of requests and responses, and collects their values.
///
/// A secret is first found by its name, for example in a form. ``removeCollected(from:)`` then masks its value also where no name
/// precedes it, for example in a path or in a page that repeats the token.
struct SecretMask: Sendable {
    static let mask = Redaction.mask

    let policy: SecretPolicy
    /// The values of the masked secrets that are long enough to be recognized elsewhere.
    private(set) var collected: Set<String>

    init(_ policy: SecretPolicy) {
        self.policy = policy
        collected = policy.values
    }

    // MARK: Messages

    mutating func mask(_ request: inout RecordedRequest) {
        request.head.path = request.head.path.map { maskedTarget($0) }
        let type = request.head.headerFields[.contentType]
        request.head.headerFields = masked(request.head.headerFields)
        request.body = request.body.map { masked($0, type: type) }
    }

    mutating func mask(_ response: inout RecordedResponse) {
        let type = response.head.headerFields[.contentType]
        response.head.headerFields = masked(response.head.headerFields)
        response.body = masked(response.body, type: type)
    }

    // MARK: Heads

    /// Returns a path with its query.
    private mutating func maskedTarget(_ target: String) -> String {
        let path = target.prefix { $0 != "?" }
        let maskedPath = maskedText(String(path))
        return path.endIndex == target.endIndex
            ? maskedPath : "\(maskedPath)?\(maskedPairs(String(target[path.endIndex...].dropFirst())))"
    }

    /// Returns the text of a query or form.
    mutating func maskedPairs(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair -> String in
            guard let equals = pair.firstIndex(of: "="), let decoded = QueryText.pairs(of: pair).first else {
                return String(pair)
            }
            let name = pair[...equals]
            let value = String(pair[equals...].dropFirst())
            if value.isEmpty { return String(pair) }
            if policy.isSecret(decoded.name) {
                collect(decoded.value)
                collect(value)
                return name + Self.mask
            }
            return maskedText(decoded.value) == decoded.value ? String(pair) : name + Self.mask
        }.joined(separator: "&")
    }

    private mutating func masked(_ fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        for field in fields {
            var copy = field
            copy.value = masked(field)
            result.append(copy)
        }
        return result
    }

    private mutating func masked(_ field: HTTPField) -> String {
        switch field.name {
        case .authorization, .proxyAuthorization: return maskedCredentials(field.value)
        case .cookie: return field.value.split(separator: ";").map { maskedCookie($0) }.joined(separator: ";")
        case .setCookie:
            let pair = field.value.prefix { $0 != ";" }
            return maskedCookie(pair) + field.value[pair.endIndex...]
        // Challenges contain no secrets.
        case .wwwAuthenticate, .proxyAuthenticate: return field.value
        default:
            guard field.indexingStrategy == .disallow || policy.isSecret(field.name.canonicalName) else {
                return maskedText(field.value)
            }
            collect(field.value)
            return Self.mask
        }
    }

    /// Returns credentials, such as `Bearer ***`.
    private mutating func maskedCredentials(_ value: String) -> String {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard let credentials = parts.last else { return value }
        collect(String(credentials))
        guard parts.count == 2 else { return Self.mask }
        if parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(credentials)) {
            collect(String(String(decoding: data, as: UTF8.self).drop { $0 != ":" }.dropFirst()))
        }
        return "\(parts[0]) \(Self.mask)"
    }

    /// Returns a pair of a name and a value. All values of cookies are masked.
    private mutating func maskedCookie(_ pair: Substring) -> String {
        guard let equals = pair.firstIndex(of: "=") else { return String(pair) }
        let name = pair[..<equals].trimmingBlanks()
        let value = String(pair[equals...].dropFirst().trimmingBlanks())
        if value.isEmpty || policy.isPublic(name) { return String(pair) }
        // Short values of cookies are settings, such as a language.
        if value.utf8.count >= 16 { collect(value) }
        return pair[...equals] + Self.mask
    }

    // MARK: Bodies

    /// Returns a body. Bodies that are neither text nor forms are unchanged.
    private mutating func masked(_ body: Data, type: String?) -> Data {
        if body.isEmpty { return body }
        if let boundary = MultipartText.boundary(of: type) {
            return MultipartText.mapParts(of: body, boundary: boundary) { name, type, content in
                guard let name, policy.isSecret(name) else { return masked(content, type: type) }
                collect(String(decoding: content, as: UTF8.self))
                return Data(Self.mask.utf8)
            }
        }
        if let text = String(data: body, encoding: .utf8) { return Data(masked(text, type: type).utf8) }
        // Text in another encoding. ISO 8859-1 preserves each byte.
        guard isForm(type) || isJson(type) || type?.lowercased().hasPrefix("text/") == true,
            let text = String(data: body, encoding: .isoLatin1)
        else { return body }
        return masked(text, type: type).data(using: .isoLatin1) ?? Data()
    }

    private mutating func masked(_ text: String, type: String?) -> String {
        if isForm(type) { return maskedPairs(text) }
        if let json = maskedJson(text) { return json }
        var text = text
        if Redaction.isXml(type) {
            text = Redaction.hidingElements(text, isSecret: policy.isSecret) { collect(String($0)) }
        }
        // JSON values on lines, possibly after the name of a field, as in a stream of events.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard let start = line.firstIndex(where: { $0 == "{" || $0 == "[" }),
                line[..<start].utf8.count <= 16, let json = maskedJson(String(line[start...]))
            else { return maskedText(String(line), isStrict: false) }
            return line[..<start] + json
        }
        return lines.joined(separator: "\n")
    }

    /// Returns JSON; `nil` if the text is not an object or array in JSON.
    private mutating func maskedJson(_ text: String) -> String? {
        guard let json = JsonText(text) else { return nil }
        let (masked, secrets) = json.masked(by: policy) { maskedText($0, isStrict: false) }
        for secret in secrets { collect(secret) }
        return masked
    }

    /// The characters that end a name or a value in a text such as a URL, a header value or a page.
    private static let delimiters = ASCIISet("?#&;, <>\"'(){}[]|\\\n\r\t")
    private static let quotationMarks = ASCIISet("\"'")

    /// Returns a text that may contain URLs, credentials and pairs such as `token=abc`.
    ///
    /// - Parameters:
    ///   - isStrict: A Boolean value that indicates whether the name alone decides, as in URLs. Otherwise some values have to look like
    ///     secrets too.
    ///   - depth: The number of percent-encodings that have been decoded.
    private mutating func maskedText(_ text: String, isStrict: Bool = true, depth: Int = 0) -> String {
        if Redaction.isRegistration(text) { return Self.mask }
        var result = ""
        var rest = text[...]
        while let equals = rest.utf8.firstIndex(of: UInt8(ascii: "=")) {
            let start = rest.utf8[..<equals].lastIndex(where: Self.delimiters.contains).map(rest.utf8.index(after:))
            let name = Self.decoded(rest[(start ?? rest.startIndex)..<equals])
            var valueStart = rest.utf8.index(after: equals)
            if valueStart < rest.endIndex, Self.quotationMarks.contains(rest.utf8[valueStart]) {
                valueStart = rest.utf8.index(after: valueStart)
            }
            let value = Substring(rest[valueStart...].utf8.prefix { !Self.delimiters.contains($0) })
            result += rest[..<valueStart]
            result += masked(value, of: name, isStrict: isStrict, depth: depth)
            rest = rest[value.endIndex...]
        }
        return Redaction.withoutCredentials(result + rest)
    }

    private mutating func masked(_ value: Substring, of name: String, isStrict: Bool, depth: Int) -> String {
        if value.isEmpty { return "" }
        let decoded = Self.decoded(value)
        if isStrict ? policy.isSecret(name) : policy.isSecret(name, string: decoded) {
            collect(String(value))
            collect(decoded)
            return Self.mask
        }
        if decoded == value { return String(value) }
        let containsSecret = depth == 3 || maskedText(decoded, isStrict: isStrict, depth: depth + 1) != decoded
        return containsSecret ? Self.mask : String(value)
    }

    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding ?? String(text)
    }

    // MARK: Values

    private mutating func collect(_ value: String) {
        let text = value.utf8
        let digits = text.count(where: \.isDigit)
        // Short words and numbers also occur where they are no secrets.
        guard text.count >= 16 || text.count >= 8 && digits > 0, digits < text.count, !value.contains(Self.mask) else {
            return
        }
        collected.insert(value)
        let encoded = PercentEncoding.query(value)
        if encoded != value { collected.insert(encoded) }
    }

    /// Masks the values of the collected secrets wherever they occur in a call.
    func removeCollected(from call: inout RecordedExchange) {
        if collected.isEmpty { return }
        // A value may contain another one.
        let values = collected.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        call.request.head.path = call.request.head.path.map { remove(values, from: $0) }
        call.request.head.headerFields = remove(values, from: call.request.head.headerFields)
        call.request.body = call.request.body.map { remove(values, from: $0) }
        guard case .response(var response) = call.result else { return }
        response.head.headerFields = remove(values, from: response.head.headerFields)
        response.body = remove(values, from: response.body)
        call.result = .response(response)
    }

    /// Masks the texts that the options name, in a request that is compared with a recording.
    func removeConfigured(from request: inout RecordedRequest) {
        let values = policy.values.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        request.head.path = request.head.path.map { remove(values, from: $0) }
        request.head.headerFields = remove(values, from: request.head.headerFields)
        request.body = request.body.map { remove(values, from: $0) }
    }

    private func remove(_ values: [String], from text: String) -> String {
        values.reduce(text) { text, value in text.contains(value) ? text.replacing(value, with: Self.mask) : text }
    }

    private func remove(_ values: [String], from fields: HTTPFields) -> HTTPFields {
        var result = HTTPFields()
        for field in fields {
            var copy = field
            copy.value = remove(values, from: field.value)
            result.append(copy)
        }
        return result
    }

    private func remove(_ values: [String], from body: Data) -> Data {
        var body = body
        for value in values {
            var start = body.startIndex
            while let range = body.range(of: Data(value.utf8), in: start..<body.endIndex) {
                body.replaceSubrange(range, with: Data(Self.mask.utf8))
                start = range.lowerBound + Self.mask.utf8.count
            }
        }
        return body
    }
}
