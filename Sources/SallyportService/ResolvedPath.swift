import Sallyport
import SallyportTransport

/// A path with all its values, validated and percent-encoded, and the parameters that it did not use.
struct ResolvedPath {
    /// The path, which is empty or begins with a slash.
    let text: String
    let parameters: [(name: String, value: String)]

    /// Resolves a path.
    ///
    /// - Throws: ``InvalidPath`` with the problem. The message contains no values.
    init(_ path: EndpointPath, parameters: [(name: String, value: String)]) throws(InvalidPath) {
        var parts: [EndpointPath.Piece] = []
        var used: Set<String> = []
        for piece in path.pieces {
            guard case .text(let text) = piece else {
                parts.append(piece)
                continue
            }
            for piece in PathTemplate.pieces(of: text) {
                switch piece {
                case .text(let text): parts.append(.text(text))
                case .name(let name):
                    parts.append(.value(try Self.value(named: name, in: parameters)))
                    used.insert(name)
                }
            }
        }
        self.text = try Self.checked(parts)
        self.parameters = parameters.filter { !used.contains($0.name) }
    }

    private static func value(
        named name: String,
        in parameters: [(name: String, value: String)]
    ) throws(InvalidPath) -> String {
        let values = parameters.filter { $0.name == name }
        guard let first = values.first else {
            throw InvalidPath("the parameters have no value for {\(VisibleText.line(name))}")
        }
        guard values.count == 1 else {
            throw InvalidPath("the parameters have several values for {\(VisibleText.line(name))}")
        }
        return first.value
    }

    private static func checked(_ parts: [EndpointPath.Piece]) throws(InvalidPath) -> String {
        // The segments as they are sent, with a flag for those that contain a value and must not be empty.
        var segments: [(text: String, hasValue: Bool)] = [("", false)]
        for part in parts {
            switch part {
            case .text(let text):
                try check(text: text)
                let pieces = text.split(separator: "/", omittingEmptySubsequences: false)
                segments[segments.count - 1].text += pieces.first ?? ""
                segments += pieces.dropFirst().map { (String($0), false) }
            case .value(let value):
                segments[segments.count - 1].text += PercentEncoding.query(value)
                segments[segments.count - 1].hasValue = true
            }
        }
        for segment in segments {
            if segment.hasValue, segment.text.isEmpty { throw InvalidPath("one of its values is empty") }
            if PercentEncoding.names(inSegment: segment.text.utf8).contains(where: isDotSegment) {
                throw InvalidPath("it contains a dot segment")
            }
        }
        let path = segments.map(\.text).joined(separator: "/")
        return path.isEmpty || path.hasPrefix("/") ? path : "/" + path
    }

    private static func check(text: String) throws(InvalidPath) {
        if text.contains("?") || text.contains("#") {
            throw InvalidPath("it contains a ? or #: set the query in the endpoint's parameters")
        }
        if text.contains("://") {
            throw InvalidPath("it is a complete URL: specify the path below the service's base URL")
        }
        if text.contains("{") || text.contains("}") { throw InvalidPath("its braces are not balanced") }
        if text.contains("\\") { throw InvalidPath("it contains a backslash") }
    }

    private static func isDotSegment(_ name: ArraySlice<UInt8>) -> Bool {
        name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8)
    }
}

/// The reason why a path is invalid.
struct InvalidPath: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Finds the names in braces in a text.
enum PathTemplate {
    enum Piece: Equatable {
        case text(String)
        case name(String)

        /// The piece as it is written in the template.
        var source: String {
            switch self {
            case .text(let text): text
            case .name(let name): "{\(name)}"
            }
        }
    }

    static func pieces(of template: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            pieces.append(.name(String(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }
}
