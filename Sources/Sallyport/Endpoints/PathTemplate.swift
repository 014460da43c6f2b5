/// Finds the names in braces in a text.
enum PathTemplate {
    enum Piece: Equatable {
        case text(String)
        case name(String)

        /// The piece as it stands in the template.
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
