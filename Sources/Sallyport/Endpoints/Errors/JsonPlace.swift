import SallyportTransport

/// One step into JSON.
enum JsonPlace: Hashable {
    case member(String)
    case element(Int)

    /// A path such as `items[3].price`.
    static func text(_ path: [JsonPlace]) -> String {
        var text = ""
        for place in path {
            switch place {
            case .member(let name): text += (text.isEmpty ? "" : ".") + VisibleText.line(String(name.prefix(80)))
            case .element(let index): text += "[\(index)]"
            }
        }
        return text
    }
}
