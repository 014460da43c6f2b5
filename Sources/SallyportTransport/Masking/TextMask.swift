// Text with pairs such as `token=abc`: URLs, forms, header values and sentences.

extension SecretMasker {
    /// Returns a text with secrets masked.
    package mutating func text(_ text: String) -> String {
        String(decoding: self.text(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Returns the path and query of a request with secrets masked.
    package mutating func target(_ target: String) -> String {
        guard let question = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text(target) }
        let query = Array(target.utf8[question...].dropFirst())
        return "\(text(String(target[..<question])))?\(String(decoding: form(query[...]), as: UTF8.self))"
    }

    /// The characters that end a name or a value.
    private static let delimiters = ASCIISet("?#&;, <>\"'(){}[]|\\\n\r\t")
    /// The characters that end a secret in a URL.
    private static let urlEnds = ASCIISet("&# \t\r\n\"<>")
    /// The characters that end a secret in a sentence.
    private static let sentenceEnds = ASCIISet("&#; \t\r\n\"<>'){}]|\\")
    private static let formEnds = ASCIISet("&#")
    private static let wordEnds = delimiters.union(ASCIISet("/:=@"))

    /// Returns the text of a form. Its values end only at an ampersand.
    mutating func form(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let pairs = bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        let masked = pairs.map { pair -> [UInt8] in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return plain(pair) }
            let value = pair[pair.index(after: equals)...]
            if value.isEmpty { return Array(pair) }
            let decoded = Self.decoded(value)
            guard isSecretPair(Self.decoded(pair[..<equals]), decoded) else {
                let hides = hides(value) || text(value) != Array(value)
                return Array(hides ? pair[...equals] + Self.maskBytes : pair)
            }
            collect(value, of: Self.decoded(pair[..<equals]))
            return Array(pair[...equals] + Self.maskBytes)
        }
        return Array(masked.joined(separator: [UInt8(ascii: "&")]))
    }

    /// Collects a value as it is and decoded. Under an ambiguous name, such as `key`, only a value that looks like a secret is collected.
    private mutating func collect(_ value: ArraySlice<UInt8>, of name: [UInt8]) {
        let decoded = Self.decoded(value)
        if SecretNames.isAmbiguous(SecretNames.letters(of: name)), !policy.isSecret(name, value: decoded) { return }
        collect(value)
        collect(decoded)
    }

    private func isSecretPair(_ name: [UInt8], _ value: some Collection<UInt8>) -> Bool {
        guard policy.isSecret(name) else { return false }
        return SecretNames.isAmbiguous(SecretNames.letters(of: name)) || !value.allSatisfy(\.isDigit)
            || policy.isSecretNumber(name, value)
    }

    /// Returns a text that may contain URLs, credentials and pairs.
    mutating func text(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        if !bytes.withUnsafeBufferPointer(Self.mayContainSecret) { return Array(bytes) }
        if bytes.withUnsafeBufferPointer(Self.isRegistration) { return Self.maskBytes }
        var result: [UInt8] = []
        var rest = bytes
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let start = rest[..<equals].lastIndex(where: Self.delimiters.contains).map { $0 + 1 } ?? rest.startIndex
            result += plain(rest[..<start])
            let name = Self.decoded(rest[start..<equals])
            result += rest[start...equals]
            rest = rest[(equals + 1)...]
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                result.append(quote)
                rest = rest.dropFirst()
                let value = rest.prefix { $0 != quote && $0 != 0x0A }
                if !value.isEmpty, policy.isSecret(name, value: value) {
                    collect(value)
                    result += Self.maskBytes
                    rest = rest[value.endIndex...]
                    continue
                }
            } else if let length = secretLength(in: rest, of: name, after: start, in: bytes) {
                collect(rest.prefix(length), of: name)
                result += Self.maskBytes
                rest = rest.dropFirst(length)
                continue
            }
            let value = rest.prefix { !Self.delimiters.contains($0) }
            result += hides(value) ? Self.maskBytes[...] : value
            rest = rest[value.endIndex...]
        }
        result += plain(rest)
        return withoutCredentials(result)
    }

    /// Returns the length of an unquoted secret after its name; `nil` if the value is not secret.
    private func secretLength(
        in rest: ArraySlice<UInt8>,
        of name: [UInt8],
        after start: Int,
        in bytes: ArraySlice<UInt8>
    ) -> Int? {
        guard policy.isSecret(name) else { return nil }
        let before = start > bytes.startIndex ? bytes[start - 1] : UInt8(ascii: "&")
        let isURL = before == UInt8(ascii: "&") || before == UInt8(ascii: "?") || before == UInt8(ascii: "#")
        let isForm = before == UInt8(ascii: "&") && style == .display
        let ends = isForm ? Self.formEnds : isURL ? Self.urlEnds : Self.sentenceEnds
        let isStrict = style == .display ? isURL : isURL && start > bytes.startIndex
        // Only a secret is read to its end: the pairs in another value would read the rest of it again.
        let sample = rest.prefix(256).prefix { !ends.contains($0) }
        if !isStrict, !policy.isSecret(name, value: Self.decoded(sample)) { return nil }
        var value = rest.prefix { !ends.contains($0) }
        if !isURL, value.last == UInt8(ascii: ",") { value = value.dropLast() }
        if value.isEmpty { return nil }
        let isSecret = isStrict ? isSecretPair(name, value) : policy.isSecret(name, value: Self.decoded(value))
        return isSecret ? value.count : nil
    }

    /// Returns text without pairs. Words that hide secrets by an encoding are masked.
    private mutating func plain(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        if !bytes.contains(UInt8(ascii: "%")) { return Array(bytes) }
        var result: [UInt8] = []
        var rest = bytes
        while let first = rest.first {
            if Self.wordEnds.contains(first) {
                result.append(first)
                rest = rest.dropFirst()
                continue
            }
            let word = rest.prefix { !Self.wordEnds.contains($0) }
            result += word.contains(UInt8(ascii: "%")) && hides(word) ? Self.maskBytes[...] : word
            rest = rest[word.endIndex...]
        }
        return result
    }

    // MARK: Encodings

    /// Returns a Boolean value that indicates whether a value that is not secret by its name contains an encoded secret.
    mutating func hides(_ value: ArraySlice<UInt8>) -> Bool {
        guard value.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) || Self.beginsJson(value)
        else { return false }
        let inner = Self.decoded(value)
        if !Self.beginsJson(value), inner.elementsEqual(value) { return false }
        if depth >= Self.maximumDepth { return value.contains(UInt8(ascii: "%")) }
        depth += 1
        defer { depth -= 1 }
        return nested(inner) != inner
    }

    static func beginsJson(_ bytes: some Collection<UInt8>) -> Bool {
        let first = bytes.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Returns text with secrets masked that stands in other text, such as a string of JSON.
    mutating func nested(_ bytes: [UInt8]) -> [UInt8] {
        if Self.beginsJson(bytes) {
            if depth > Self.maximumDepth { return Self.maskBytes }
            if let json = json(bytes) { return json }
        }
        return lines(quotedValues(pem(bytes)))
    }

    /// Returns text with its escapes decoded, and with blanks for plus signs.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(text) }
        return PercentEncoding.decodedBytes(of: text.lazy.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    }

    // MARK: Strings

    static func mayContainSecret(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(mayContainSecret)
            ?? Array(text.utf8).withUnsafeBufferPointer(mayContainSecret)
    }

    mutating func withoutCredentials(_ text: String) -> String {
        String(decoding: withoutCredentials(Array(text.utf8)), as: UTF8.self)
    }

    mutating func nested(_ text: String) -> String { String(decoding: nested(Array(text.utf8)), as: UTF8.self) }
}
