/// Parses `Link` headers with the lenient algorithm of RFC 8288, appendix B.2.
struct WebLinkScanner {
    private var rest: Substring.UTF8View

    private init(_ value: String) {
        rest = value[...].utf8
    }

    /// Returns the links in a header value up to the first invalid link.
    static func links(in value: String) -> [WebLink] {
        var scanner = WebLinkScanner(value)
        var links: [WebLink] = []
        while scanner.skip(to: UInt8(ascii: "<")), let link = scanner.link() { links.append(link) }
        return links
    }

    /// Skips spaces, tabs and commas before a link.
    private mutating func skip(to start: UInt8) -> Bool {
        rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
        return rest.first == start
    }

    private mutating func link() -> WebLink? {
        rest.removeFirst()
        let target = rest.prefix { $0 != UInt8(ascii: ">") }
        rest = rest[target.endIndex...]
        if rest.isEmpty { return nil }
        rest.removeFirst()
        var link = WebLink(target: String(Substring(target.trimmingBlanks())), relations: [])
        var hasRelations = false
        for (name, value) in parameters() {
            if name == "rel" {
                if hasRelations { continue }
                hasRelations = true
                link.relations = value.lowercased().split { $0 == " " || $0 == "\t" }.map(String.init)
            } else if link.parameters[name] == nil {
                link.parameters[name] = value
            }
        }
        return link
    }

    /// Removes and returns the parameters of a link, up to the next comma.
    private mutating func parameters() -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        while true {
            rest = rest.drop { $0.isBlank }
            guard rest.first == UInt8(ascii: ";") else { break }
            rest.removeFirst()
            rest = rest.drop { $0.isBlank }
            let name = rest.prefix { !$0.isBlank && !"=;,".utf8.contains($0) }
            rest = rest[name.endIndex...].drop { $0.isBlank }
            let value = rest.first == UInt8(ascii: "=") ? value() : ""
            if !name.isEmpty { parameters.append((Substring(name).lowercased(), value)) }
        }
        rest = rest.drop { $0 != UInt8(ascii: ",") }
        return parameters
    }

    private mutating func value() -> String {
        rest.removeFirst()
        rest = rest.drop { $0.isBlank }
        if rest.first == UInt8(ascii: "\"") { return quoted() }
        let value = rest.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        rest = rest[value.endIndex...]
        return String(Substring(value.trimmingBlanks()))
    }

    /// Removes and returns a quoted string. Its closing quotation mark may be missing.
    private mutating func quoted() -> String {
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                if let escaped = rest.popFirst() { value.append(escaped) }
            } else {
                value.append(byte)
            }
        }
        return String(decoding: value, as: UTF8.self)
    }
}
