import Foundation

extension HttpArchive.Field: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value
    }

    /// Decodes a field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.lenient(.name) ?? ""
        value = container.lenient(.value) ?? ""
    }

    /// Encodes the field.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
    }
}

extension HttpArchive.Cookie: Codable {
    /// Decodes a cookie, without its attributes.
    public init(from decoder: any Decoder) throws {
        let field = try HttpArchive.Field(from: decoder)
        self.init(name: field.name, value: field.value)
    }

    /// Encodes the cookie.
    public func encode(to encoder: any Encoder) throws {
        try HttpArchive.Field(name: name, value: value).encode(to: encoder)
    }
}

extension HttpArchive.Parameter: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, fileName, contentType
    }

    /// Decodes a field of a form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = container.lenient(.name) ?? ""
        value = container.lenient(.value)
        fileName = container.lenient(.fileName)
        contentType = container.lenient(.contentType)
    }

    /// Encodes the field.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(value, forKey: .value)
        try container.encodeIfPresent(fileName, forKey: .fileName)
        try container.encodeIfPresent(contentType, forKey: .contentType)
    }
}

extension HttpArchive.PostData: Codable {
    private enum CodingKeys: String, CodingKey {
        case mimeType, text, encoding
        case ownEncoding = "_encoding"
        case params, comment
    }

    /// Decodes the body of a request.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mimeType = container.lenient(.mimeType) ?? ""
        text = container.lenient(.text)
        let standard: String? = container.lenient(.encoding)
        let own: String? = container.lenient(.ownEncoding)
        encoding = own ?? standard
        params = container.lenient(.params) ?? []
        comment = container.lenient(.comment)
    }

    /// Encodes the body.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(mimeType, forKey: .mimeType)
        try container.encode(text ?? "", forKey: .text)
        try container.encodeIfPresent(encoding, forKey: .ownEncoding)
        if !params.isEmpty { try container.encode(params, forKey: .params) }
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HttpArchive.Request: Codable {
    private enum CodingKeys: String, CodingKey {
        case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize, comment
    }

    /// Decodes a request.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        url = try container.decode(String.self, forKey: .url)
        httpVersion = container.lenient(.httpVersion) ?? ""
        cookies = container.lenient(.cookies) ?? []
        headers = container.lenient(.headers) ?? []
        queryString = container.lenient(.queryString) ?? []
        postData = container.lenient(.postData)
        headersSize = container.size(.headersSize)
        bodySize = container.size(.bodySize)
        comment = container.lenient(.comment)
    }

    /// Encodes the request.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(method, forKey: .method)
        try container.encode(url, forKey: .url)
        try container.encode(httpVersion, forKey: .httpVersion)
        try container.encode(cookies, forKey: .cookies)
        try container.encode(headers, forKey: .headers)
        try container.encode(queryString, forKey: .queryString)
        try container.encodeIfPresent(postData, forKey: .postData)
        try container.encode(headersSize ?? -1, forKey: .headersSize)
        try container.encode(bodySize ?? -1, forKey: .bodySize)
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HttpArchive.Response: Codable {
    private enum CodingKeys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize, comment
    }

    /// Decodes a response.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Int.self, forKey: .status)
        statusText = container.lenient(.statusText) ?? ""
        httpVersion = container.lenient(.httpVersion) ?? ""
        cookies = container.lenient(.cookies) ?? []
        headers = container.lenient(.headers) ?? []
        content = container.lenient(.content) ?? HttpArchive.Content(size: 0, mimeType: "", text: nil)
        redirectURL = container.lenient(.redirectURL) ?? ""
        headersSize = container.size(.headersSize)
        bodySize = container.size(.bodySize)
        comment = container.lenient(.comment)
    }

    /// Encodes the response.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(statusText, forKey: .statusText)
        try container.encode(httpVersion, forKey: .httpVersion)
        try container.encode(cookies, forKey: .cookies)
        try container.encode(headers, forKey: .headers)
        try container.encode(content, forKey: .content)
        try container.encode(redirectURL, forKey: .redirectURL)
        try container.encode(headersSize ?? -1, forKey: .headersSize)
        try container.encode(bodySize ?? -1, forKey: .bodySize)
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}

extension HttpArchive.Content: Codable {
    private enum CodingKeys: String, CodingKey {
        case size, compression, mimeType, text, encoding, comment
    }

    /// Decodes the body of a response.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = container.size(.size) ?? 0
        compression = container.size(.compression)
        mimeType = container.lenient(.mimeType) ?? ""
        text = container.lenient(.text)
        encoding = container.lenient(.encoding)
        comment = container.lenient(.comment)
    }

    /// Encodes the body.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encodeIfPresent(compression, forKey: .compression)
        try container.encode(mimeType, forKey: .mimeType)
        try container.encodeIfPresent(text, forKey: .text)
        try container.encodeIfPresent(encoding, forKey: .encoding)
        try container.encodeIfPresent(comment, forKey: .comment)
    }
}

// MARK: Lenient members

extension KeyedDecodingContainer {
    /// Returns a member; `nil` if it is missing or has another type.
    func lenient<Value: Decodable>(_ key: Key) -> Value? { try? decode(Value.self, forKey: key) }

    /// Returns a duration in milliseconds; `nil` if it is missing, negative or not a number.
    func milliseconds(_ key: Key) -> Double? {
        let number: Double? = lenient(key)
        return number.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns a number of bytes; `nil` if it is missing, negative or not a number.
    func size(_ key: Key) -> Int? {
        milliseconds(key).flatMap { Int(exactly: $0.rounded()) }
    }

    /// Returns a date; 1970 if it is missing or invalid.
    func date(_ key: Key) -> Date {
        let text: String? = lenient(key)
        return text.flatMap(ArchiveDate.parse) ?? Date(timeIntervalSince1970: 0)
    }
}

/// Dates of ISO 8601 with fractions of a second, as in `2026-11-23T17:30:35.123+01:00`.
enum ArchiveDate {
    /// Returns a date with milliseconds in UTC.
    ///
    /// - Throws: `EncodingError` if the date is not finite.
    static func text(_ date: Date) throws -> String {
        guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else {
            let problem = "the date is not finite"
            throw EncodingError.invalidValue(date, EncodingError.Context(codingPath: [], debugDescription: problem))
        }
        let seconds = milliseconds.floorDivided(by: 1000)
        let fraction = String(milliseconds - seconds * 1000)
        let zeros = String(repeating: "0", count: 3 - fraction.count)
        let text = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
        return "\(text.dropLast()).\(zeros)\(fraction)Z"
    }

    /// Returns the date of a text; `nil` if it is invalid. Without a time zone it is in UTC.
    static func parse(_ text: String) -> Date? {
        let second = text.prefix(19)
        var rest = text.dropFirst(19)
        guard second.utf8.count == 19, var result = try? Date.ISO8601FormatStyle().parse("\(second)Z") else {
            return nil
        }
        if rest.first == "." || rest.first == "," {
            let digits = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard !digits.isEmpty, let fraction = Double("0.\(digits)") else { return nil }
            result += fraction
            rest = rest.dropFirst(1 + digits.count)
        }
        return offset(rest).map { result - $0 }
    }

    /// Returns the offset of a time zone such as `Z`, `+02:00`, `-0530` or `+01`, in seconds; `nil` if it is invalid.
    private static func offset(_ zone: Substring) -> TimeInterval? {
        if zone.isEmpty || zone == "Z" || zone == "z" { return 0 }
        let digits = zone.dropFirst().filter { $0 != ":" }
        guard zone.first == "+" || zone.first == "-", [2, 4].contains(digits.count),
            digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits)
        else { return nil }
        let minutes = digits.count == 2 ? number * 60 : number / 100 * 60 + number % 100
        return TimeInterval(minutes * 60) * (zone.first == "-" ? -1 : 1)
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
