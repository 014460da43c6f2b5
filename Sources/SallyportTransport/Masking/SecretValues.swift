import Foundation

/// The values of secrets, to find them where no name precedes them, such as in a page that repeats a token.
package struct SecretValues: Sendable {
    /// The maximum number of values. Further values are not searched for.
    private static let maximumCount = 2_000
    /// The maximum length of a value in bytes. A longer value is a document, and masked by its name only.
    private static let maximumLength = 16 << 10

    /// The maximum total length of the values in bytes, which limits the time of a search.
    private static let maximumSize = 128 << 10

    /// The values and their encodings, by their first byte and in the order of descending length.
    private var byFirstByte: [UInt8: [[UInt8]]] = [:]
    private var all: Set<[UInt8]> = []
    private var size = 0

    package init() {}

    package var isEmpty: Bool { all.isEmpty }

    /// Adds a value that was found by its name, if it is long enough to be recognized elsewhere.
    ///
    /// - Parameter isSent: A Boolean value that indicates whether the client itself sent the value.
    mutating func insert(_ value: some Collection<UInt8>, isSent: Bool) {
        let digits = value.count(where: \.isDigit)
        let isLong = value.count >= 16 || value.count >= 8 && (isSent || digits > 0 && digits < value.count)
        // Numbers and words that are names or masks also occur elsewhere.
        guard isLong, isSent || digits < value.count else { return }
        insert(value)
        guard value.contains(0x0A) else { return }
        // A server may repeat a single line of a key.
        for line in value.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) where line.count >= 16 { insert(line) }
    }

    /// Adds a value of any length.
    mutating func insert(_ value: some Collection<UInt8>) {
        let bytes = Array(value)
        guard !bytes.isEmpty, !all.contains(bytes), bytes.count <= Self.maximumLength, !bytes.containsText("***"),
            !Self.commonWords.contains(SecretNames.letters(of: bytes.prefix(32)))
        else { return }
        add(bytes)
        addBase64(of: bytes)
        guard bytes.contains(where: { !$0.isAlphanumeric }) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        let query = PercentEncoding.query(text)
        for encoded in [query, PercentEncoding.form(text), Self.lowercasedEscapes(query)] { add(Array(encoded.utf8)) }
        add(Self.escaped(bytes) { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : nil })
        add(Self.escaped(bytes) { $0 == 0x22 || $0 == 0x5C || $0 == 0x2F ? [0x5C, $0] : nil })
        add(Self.escaped(bytes) { Self.entities[$0] })
    }

    /// Removes the values that are parts of a text.
    mutating func remove(partsOf text: [UInt8]) {
        for value in all where value.count <= text.count && text.contains(value) {
            all.remove(value)
            byFirstByte[value[0]]?.removeAll { $0 == value }
            size -= value.count
        }
    }

    /// Adds the base64 of a value, without padding. That of a short value may be part of other data.
    private mutating func addBase64(of bytes: [UInt8]) {
        if bytes.count < 6 { return }
        let encoded = Array(Data(bytes).base64EncodedString().utf8.prefix { $0 != UInt8(ascii: "=") })
        add(encoded)
        guard encoded.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }) else { return }
        add(
            encoded.map {
                $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
            }
        )
    }

    private mutating func add(_ value: [UInt8]) {
        guard all.count < Self.maximumCount, size + value.count <= Self.maximumSize, let first = value.first,
            all.insert(value).inserted
        else { return }
        size += value.count
        var values = byFirstByte[first] ?? []
        values.insert(value, at: values.firstIndex { $0.count < value.count } ?? values.endIndex)
        byFirstByte[first] = values
    }

    /// Words that are used as secrets in tests, and that are also names or words of error messages.
    private static let commonWords = Set(
        [
            "password", "passphrase", "accesstoken", "refreshtoken", "idtoken", "authorization", "authorizationcode",
            "clientsecret", "credentials", "username", "sessionid", "undefined", "anonymous", "localhost", "connection",
            "certificate", "response", "redirect", "redirects", "redirected",
        ].map { Array($0.utf8) }
    )

    private static let entities: [UInt8: [UInt8]] = [
        0x22: Array("&quot;".utf8), 0x26: Array("&amp;".utf8), 0x27: Array("&#39;".utf8), 0x3C: Array("&lt;".utf8),
        0x3E: Array("&gt;".utf8),
    ]

    private static func escaped(_ bytes: [UInt8], _ escape: (UInt8) -> [UInt8]?) -> [UInt8] {
        bytes.flatMap { escape($0) ?? [$0] }
    }

    private static func lowercasedEscapes(_ text: String) -> String {
        var rest = 0
        return String(
            decoding: text.utf8.map { byte in
                if byte == UInt8(ascii: "%") { rest = 3 }
                rest -= 1
                return rest >= 0 && byte.isUppercase ? byte | 0x20 : byte
            },
            as: UTF8.self
        )
    }

    /// Returns bytes with the values masked.
    package func masked(_ bytes: [UInt8]) -> [UInt8] {
        if all.isEmpty { return bytes }
        let isFirst = (0..<256).map { byFirstByte[UInt8($0)] != nil }
        var result: [UInt8] = []
        var unchanged = 0
        bytes.withUnsafeBufferPointer { buffer in
            var index = 0
            while index < buffer.count {
                if isFirst[Int(buffer[index])], let length = length(at: index, in: buffer) {
                    result += buffer[unchanged..<index]
                    result += SecretMasker.maskBytes
                    index += length
                    unchanged = index
                } else {
                    index += 1
                }
            }
        }
        return unchanged == 0 ? bytes : result + bytes[unchanged...]
    }

    /// Returns a text with the values masked.
    package func masked(_ text: String) -> String {
        all.isEmpty ? text : String(decoding: masked(Array(text.utf8)), as: UTF8.self)
    }

    private func length(at index: Int, in buffer: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = buffer.baseAddress.map({ $0 + index }) else { return nil }
        return byFirstByte[buffer[index]]?.first { value in
            value.count <= buffer.count - index && memcmp(value, start, value.count) == 0
        }?.count
    }
}
