// XML and HTML.

/// The kind of markup in a text.
enum Markup {
    case xml(isPropertyList: Bool)
    case html

    /// Finds the kind by the media type, or by the beginning of a text with another type; `nil` if it is not markup.
    init?(_ bytes: [UInt8], type: String) {
        let isXMLType = SallyportTransport.isXml(type)
        let start = bytes.prefix(256).drop { $0 <= 0x20 || $0 >= 0x80 }.map { $0 | 0x20 }
        let isXmlText =
            start.first == UInt8(ascii: "<")
            && start.dropFirst().first.map { ASCIISet.letters.contains($0) || $0 == 0x3F } == true
        let isHtmlText = isXmlText && start.containsText("<html") || start.starts(with: "<!doctype html".utf8)
        if type.hasSuffix("html") || type.hasSuffix("xhtml+xml") || !isXMLType && isHtmlText {
            self = .html
        } else if isXMLType || isXmlText {
            self = .xml(isPropertyList: bytes.containsText("<plist"))
        } else {
            return nil
        }
    }

    var isXML: Bool { if case .xml = self { true } else { false } }

    /// The elements that contain the name of the value in the next element, as in `<name>password</name><value>…</value>`.
    static let namingElements: Set = ["key", "name"]
    /// The ends of the names of elements for such a value.
    static let valueElements = ["value", "val", "string", "text"]
}

extension SecretMasker {
    /// Masks the contents of XML elements with the name of a secret, as in `<password>…</password>`, the contents and values that an
    /// attribute or another element names, and the values of hidden and secret fields in HTML.
    mutating func masked(_ bytes: [UInt8], as markup: Markup) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        var index = 0
        var follows = false

        func hide(_ range: Range<Int>, quoted: Bool) {
            guard !range.isEmpty, range.lowerBound >= position else { return }
            result += bytes[position..<range.lowerBound]
            result += quoted ? Array("\"\(Self.mask)\"".utf8) : Self.maskBytes
            position = range.upperBound
        }

        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            guard let tag = MarkupTag(in: bytes, at: start, isXml: markup.isXML) else {
                index = start + 1
                continue
            }
            index = tag.end
            let local = tag.localName(in: bytes)
            let text = bytes[tag.end...].prefix { $0 != UInt8(ascii: "<") }
            if case .xml(let isPropertyList) = markup, Markup.namingElements.contains(local) {
                follows = policy.isSecret(text.prefix(100)) && !text.isEmpty
                if isPropertyList || follows { continue }
            }
            let isNamed = tag.names(in: bytes).contains { policy.isSecret($0) }
            let isHidden = tag.isHiddenField(in: bytes, local)
            for attribute in tag.attributes where isNamed || isHidden {
                let name = String(decoding: bytes[attribute.name], as: UTF8.self).lowercased()
                let isValue = name == "value" || name == "content" && !markup.isXML
                guard isValue, !attribute.content.isEmpty else { continue }
                hide(attribute.value, quoted: true)
                // Other hidden fields also contain settings.
                if isNamed { collect(bytes[attribute.content]) }
            }
            let isValueOfName = follows && isValueElement(local, markup)
            follows = isNamed && markup.isXML
            if tag.isSelfClosing { continue }
            let isSecretElement =
                markup.isXML
                ? isValueOfName || policy.isSecret(local.utf8, value: text)
                    || isNamed && beginsWithText(bytes, text.endIndex)
                : isNamed && local == "textarea"
            guard isSecretElement else { continue }
            let end = tag.endOfContent(in: bytes)
            follows = false
            if end == tag.end { continue }
            hide(tag.end..<end, quoted: false)
            collect(bytes[tag.end..<end])
            index = end
        }
        return position == 0 ? bytes : result + bytes[position...]
    }

    private func isValueElement(_ local: String, _ markup: Markup) -> Bool {
        if case .xml(true) = markup { return true }
        let name = local.lowercased()
        return Markup.valueElements.contains { name.hasSuffix($0) }
    }

    /// Returns a Boolean value that indicates whether a text in an element is followed by the end of the element, or by a CDATA section.
    private func beginsWithText(_ bytes: [UInt8], _ end: Int) -> Bool {
        bytes[end...].starts(with: "</".utf8) || bytes[end...].starts(with: "<![CDATA[".utf8)
    }
}

/// A start tag.
private struct MarkupTag {
    struct Attribute {
        let name: Range<Int>
        /// The range of the value, with its quotation marks.
        let value: Range<Int>
        /// The range of the value, without its quotation marks.
        let content: Range<Int>
    }

    let name: Range<Int>
    private(set) var attributes: [Attribute] = []
    /// The index after the tag.
    private(set) var end: Int
    private(set) var isSelfClosing = false

    private static let nameEnds = ASCIISet(" \t\r\n/>=<\"'")
    private static let blanks = ASCIISet(" \t\r\n")

    /// Parses the tag at an index; `nil` if no start tag begins there. A text may end in a tag.
    init?(in bytes: [UInt8], at start: Int, isXml: Bool) {
        guard let first = bytes[(start + 1)...].first, ASCIISet.letters.contains(first) || first == UInt8(ascii: "_")
        else {
            return nil
        }
        name = start + 1..<bytes[(start + 1)...].prefix { !Self.nameEnds.contains($0) }.endIndex
        end = name.upperBound
        while end < bytes.count {
            let byte = bytes[end]
            if byte == UInt8(ascii: ">") {
                isSelfClosing = bytes[end - 1] == UInt8(ascii: "/")
                end += 1
                return
            }
            if byte == UInt8(ascii: "<") { return }
            if Self.nameEnds.contains(byte) {
                end += 1
            } else {
                addAttribute(in: bytes, isXml: isXml)
            }
        }
    }

    private mutating func addAttribute(in bytes: [UInt8], isXml: Bool) {
        let name = end..<bytes[end...].prefix { !Self.nameEnds.contains($0) }.endIndex
        end = name.upperBound
        let equals = bytes[end...].drop(while: Self.blanks.contains).startIndex
        guard equals < bytes.count, bytes[equals] == UInt8(ascii: "=") else { return }
        let start = bytes[(equals + 1)...].drop(while: Self.blanks.contains).startIndex
        guard start < bytes.count else {
            end = start
            return
        }
        let quote = bytes[start]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let content = bytes[(start + 1)...].prefix { $0 != quote && !(isXml && $0 == UInt8(ascii: "<")) }
            let isClosed = content.endIndex < bytes.count && bytes[content.endIndex] == quote
            end = content.endIndex + (isClosed ? 1 : 0)
            attributes.append(Attribute(name: name, value: start..<end, content: content.startIndex..<content.endIndex))
        } else {
            let content = bytes[start...].prefix { !Self.blanks.contains($0) && $0 != UInt8(ascii: ">") }
            end = content.endIndex
            attributes.append(Attribute(name: name, value: start..<end, content: start..<end))
        }
    }

    func localName(in bytes: [UInt8]) -> String {
        let name = bytes[name]
        let colon = name.lastIndex(of: UInt8(ascii: ":"))
        return String(decoding: colon.map { name[($0 + 1)...] } ?? name, as: UTF8.self)
    }

    /// Returns the values of the attributes that name the element's content or value.
    func names(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        attributes.filter { attribute in
            ["name", "key", "id", "property"].contains(
                String(decoding: bytes[attribute.name], as: UTF8.self).lowercased()
            )
        }.map { bytes[$0.content] }
    }

    /// Returns a Boolean value that indicates whether the tag is a field of HTML for a password, or a hidden one.
    func isHiddenField(in bytes: [UInt8], _ local: String) -> Bool {
        guard local.lowercased() == "input" else { return false }
        return attributes.contains { attribute in
            String(decoding: bytes[attribute.name], as: UTF8.self).lowercased() == "type"
                && ["hidden", "password"].contains(
                    String(decoding: bytes[attribute.content], as: UTF8.self).lowercased()
                )
        }
    }

    /// Returns the start of the end tag; the end of the text if there is none. Elements with the same name may be in the content.
    func endOfContent(in bytes: [UInt8]) -> Int {
        var depth = 1
        var index = end
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = start + 1
            let isEnd = bytes[index...].first == UInt8(ascii: "/")
            let found = bytes[(index + (isEnd ? 1 : 0))...]
            guard found.starts(with: bytes[name]), found.dropFirst(name.count).first.map(Self.nameEnds.contains) ?? true
            else { continue }
            if !isEnd {
                guard let close = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { return bytes.endIndex }
                depth += bytes[close - 1] == UInt8(ascii: "/") ? 0 : 1
                index = close
            } else {
                depth -= 1
                if depth == 0 { return start }
            }
        }
        return bytes.endIndex
    }
}
