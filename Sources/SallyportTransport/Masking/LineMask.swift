// Text by lines: `name: value`, `name = value`, values in quotation marks, YAML, and keys in PEM.

extension SecretMasker {
    private static let newlines = ASCIISet("\r\n")
    private static let quotes = ASCIISet("\"'`")
    private static let nameBytes = ASCIISet.letters.union(.digits).union(ASCIISet("_.-"))

    // MARK: Lines

    /// Returns a text with the secrets of each line masked. A line of an event stream, or of a list of JSON values, may contain JSON.
    mutating func lines(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { !Self.newlines.contains($0) }
            result += masked(line: line)
            rest = rest[line.endIndex...]
            let end = rest.prefix { Self.newlines.contains($0) }
            result += end
            rest = rest[end.endIndex...]
        }
        return result
    }

    private mutating func masked(line: ArraySlice<UInt8>) -> [UInt8] {
        if line.isEmpty { return [] }
        // JSON, possibly after the name of a field, as in a stream of events.
        let start = line.prefix(17).firstIndex { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
        if let start, depth <= Self.maximumDepth, let json = json(Array(line[start...])) {
            return line[..<start] + json
        }
        return assignment(line) ?? field(line) ?? text(line)
    }

    /// Returns a line such as `password = secret` with the value masked; `nil` if it has another form. Values in quotation marks and lines
    /// without blanks are masked by other functions.
    private mutating func assignment(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let (name, value) = (line[..<equals], line[equals...].dropFirst())
        let trimmed = value.trimmingBlanks()
        guard name.last?.isBlank == true || value.first?.isBlank == true, let first = trimmed.first,
            first != UInt8(ascii: "="), !Self.quotes.contains(first),
            isSecretWord(name.drop { "#; \t".utf8.contains($0) }.trimmingBlanks(), trimmed)
        else { return nil }
        collect(trimmed)
        return name + Array("= ".utf8) + Self.maskBytes
    }

    /// Returns a line such as `Cookie: sid=…` or `password: …` with the value masked; `nil` if it has another form. The line may be an
    /// item of a list in YAML.
    private mutating func field(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[colon...].dropFirst().first?.isBlank == true
        else {
            return nil
        }
        let start = line[..<colon]
        let name = start.drop { "- \t\"'".utf8.contains($0) }.prefix {
            $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
        }
        let value = line[colon...].dropFirst().trimmingBlanks()
        guard !value.isEmpty, !Self.isIndicator(value), isSecretWord(name.trimmingBlanks(), value) else { return nil }
        let text = String(decoding: value, as: UTF8.self)
        if style == .replayable, SecretNames.letters(of: name).ends(with: "authorization") {
            return start + Array(": \(credentials(text))".utf8)
        }
        collect(value)
        if !value.contains(where: { $0 == UInt8(ascii: " ") }) {
            collect(value.filter { !Self.quotes.contains($0) && $0 != UInt8(ascii: ",") })
        }
        return start + Array(": ".utf8) + Self.maskBytes
    }

    private func isSecretWord(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool {
        policy.isSecretWord(name) && policy.isSecret(name, value: value.filter { !Self.quotes.contains($0) })
    }

    /// Returns a Boolean value that indicates whether a value in YAML or JSON only begins an array, an object or a block.
    private static func isIndicator(_ value: ArraySlice<UInt8>) -> Bool {
        value.allSatisfy { "{[|>+-".utf8.contains($0) } && value.first != UInt8(ascii: "|")
            && value.first != UInt8(ascii: ">")
    }

    /// Masks the lines of YAML that belong to the name of a secret on a line of its own, such as a list of passwords or a block of text.
    mutating func yamlBlocks(_ bytes: [UInt8]) -> [UInt8] {
        /// The column of the name that the masked lines belong to.
        var column: Int?
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let masked = lines.map { line -> [UInt8] in
            let content = line.drop { $0 == 0x20 }
            if content.isEmpty || content.first == UInt8(ascii: "\r") { return Array(line) }
            let indentation = line.count - content.count
            let isItem = content.starts(with: "- ".utf8)
            if let column, indentation > column || indentation == column && isItem {
                collect(content.drop { $0 == UInt8(ascii: "-") || $0 == 0x20 })
                return line[..<content.startIndex] + Array((isItem ? "- " : "").utf8) + Self.maskBytes
            }
            let named = content.drop { $0 == UInt8(ascii: "-") || $0 == 0x20 }
            column = beginsSecretBlock(named) ? line.count - named.count : nil
            return flowPairs(line)
        }
        return Array(masked.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// Returns a Boolean value that indicates whether a line of YAML has the name of a secret, and its value is on the next lines.
    private func beginsSecretBlock(_ line: ArraySlice<UInt8>) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let value = line[colon...].dropFirst().filter { !$0.isBlank && $0 != UInt8(ascii: "\r") }
        let isBlock = value.first.map { $0 == UInt8(ascii: "|") || $0 == UInt8(ascii: ">") } ?? true
        return isBlock && policy.isSecretWord(line[..<colon].trimmingBlanks())
    }

    /// Returns a line of YAML with the pairs in braces masked, as in `{user: ada, password: secret}`.
    private mutating func flowPairs(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard line.contains(UInt8(ascii: "{")) else { return Array(line) }
        var result: [UInt8] = []
        var rest = line
        while let separator = rest.firstIndex(where: { "{,".utf8.contains($0) }) {
            result += rest[...separator]
            rest = rest[(separator + 1)...]
            let pair = rest.prefix { !"{,}".utf8.contains($0) }
            rest = rest[pair.endIndex...]
            guard let colon = pair.firstIndex(of: UInt8(ascii: ":")),
                isSecretWord(pair[..<colon].trimmingBlanks(), pair[(colon + 1)...].trimmingBlanks()),
                let value = pair[(colon + 1)...].firstIndex(where: { !$0.isBlank })
            else {
                result += pair
                continue
            }
            collect(pair[value...])
            result += pair[..<value] + Self.maskBytes
        }
        return result + rest
    }

    // MARK: Quotation marks

    /// Masks quoted values after the name of a secret, as in `<user password="…">`, `password = "…"` and `"password":"…"`, and numbers as
    /// in `otp: 123456`.
    ///
    /// It searches for the starts of values and then backwards for their names: the search for names followed by values takes quadratic
    /// time for a text without quotation marks.
    mutating func quotedValues(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }) else { return bytes }
        var result: [UInt8] = []
        var position = 0
        var index = 0
        while index < bytes.count {
            let sign = bytes[index]
            index += 1
            guard sign == UInt8(ascii: ":") || sign == UInt8(ascii: "=") else { continue }
            let signIndex = index - 1
            while index < bytes.count, Self.isWhitespace(bytes[index]) { index += 1 }
            let escapes = bytes[index...].prefix { $0 == UInt8(ascii: "\\") }.count
            let start = index + escapes
            guard start < bytes.count else { break }
            guard Self.quotes.contains(bytes[start]) else {
                if escapes > 0 { index = start }
                guard sign == UInt8(ascii: ":"), bytes[start].isDigit, escapes == 0 else { continue }
                let number = bytes[start...].prefix(while: \.isAlphanumeric)
                let name = nameAtEnd(of: bytes[position..<signIndex], allowsQuotes: false)
                index = number.endIndex
                guard number.allSatisfy(\.isDigit), policy.isSecretNumber(name, number) else { continue }
                result += bytes[position..<start] + Self.maskBytes
                position = index
                continue
            }
            let quote = bytes[start]
            let contentStart = start + 1
            let name = nameAtEnd(of: bytes[position..<signIndex], allowsQuotes: true)
            if policy.isSecret(name), escapes == 0, bytes[contentStart...].starts(with: [quote, quote]) {
                // A string on several lines, as in TOML.
                let content = bytes[(contentStart + 2)...]
                let end = Self.end(of: content, marks: [quote, quote, quote])
                result += bytes[position..<content.startIndex] + Self.maskBytes
                collect(content[..<end])
                (position, index) = (end, end)
                continue
            }
            guard policy.isSecret(name) else {
                index = start + 1
                continue
            }
            let end = Self.end(ofQuoted: bytes[contentStart...], quote: quote, escapes: escapes)
            let value = bytes[contentStart..<end]
            index = end
            guard !value.isEmpty, policy.isSecret(name, value: value), !value.elementsEqual(Self.maskBytes) else {
                continue
            }
            collect(value)
            result += bytes[position..<contentStart] + Self.maskBytes
            position = end
        }
        return position == 0 ? bytes : result + bytes[position...]
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }

    /// Returns the index at which a quoted value ends: before as many backslashes as stand before the opening quotation mark, and the same
    /// mark.
    private static func end(ofQuoted content: ArraySlice<UInt8>, quote: UInt8, escapes: Int) -> Int {
        var run = 0
        for index in content.indices {
            if content[index] == UInt8(ascii: "\\") {
                run += 1
                continue
            }
            if content[index] == quote, escapes == 0 ? run % 2 == 0 : run <= escapes {
                return index - (escapes == 0 ? 0 : run)
            }
            run = 0
        }
        return content.endIndex
    }

    private static func end(of content: ArraySlice<UInt8>, marks: [UInt8]) -> Int {
        var run = 0
        for index in content.indices {
            run = content[index] == marks[0] ? run + 1 : 0
            if run == marks.count { return index - marks.count + 1 }
        }
        return content.endIndex
    }

    /// Returns the name at the end of a text, before blanks and quotation marks.
    private func nameAtEnd(of text: ArraySlice<UInt8>, allowsQuotes: Bool) -> ArraySlice<UInt8> {
        var end = text.endIndex
        while end > text.startIndex,
            Self.isWhitespace(text[end - 1])
                || allowsQuotes && (Self.quotes.contains(text[end - 1]) || "\\]".utf8.contains(text[end - 1]))
        {
            end -= 1
        }
        var start = end
        while start > text.startIndex, Self.nameBytes.contains(text[start - 1]) { start -= 1 }
        return text[start..<end]
    }

    // MARK: PEM

    /// Masks private keys in PEM (RFC 7468).
    mutating func pem(_ bytes: [UInt8]) -> [UInt8] {
        let dashes = Array("-----".utf8)
        var result: [UInt8] = []
        var position = 0
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "-")) {
            index = start + 1
            guard bytes[start...].starts(with: "-----BEGIN ".utf8) else { continue }
            let label = bytes[(start + 11)...].prefix(64).prefix { $0 != UInt8(ascii: "-") && $0 != 0x0A }
            index = label.endIndex
            guard Array(label).containsText("PRIVATE KEY"), bytes[label.endIndex...].starts(with: dashes) else {
                continue
            }
            let content = bytes[(label.endIndex + 5)...]
            let end = Self.end(ofKey: content)
            collect(content[..<end])
            result += bytes[position..<content.startIndex] + Self.maskBytes
            (position, index) = (end, end)
        }
        return position == 0 ? bytes : result + bytes[position...]
    }

    /// Returns the start of the line that ends a key; the end of the text if there is none.
    private static func end(ofKey content: ArraySlice<UInt8>) -> Int {
        var index = content.startIndex
        while let dash = content[index...].firstIndex(of: UInt8(ascii: "-")) {
            if content[dash...].starts(with: "-----END ".utf8) { return dash }
            index = dash + 1
        }
        return content.endIndex
    }
}
