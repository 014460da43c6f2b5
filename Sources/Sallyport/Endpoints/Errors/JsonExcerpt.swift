import Foundation
import SallyportTransport

/// What stands at a place of a body, and the text around it, which anyone may see.
struct JsonExcerpt {
    /// Longer bodies are looked at up to here, in bytes.
    private static let longestBody = 1 << 20
    private static let before = 90
    private static let longest = 230

    let found: String
    let text: String

    init(of body: Data, at path: [JsonPathStep]) {
        var reader = JsonTreeReader([UInt8](body.prefix(Self.longestBody)))
        let tree = reader.readWhole()
        if case .broken = tree {
            found = body.isEmpty ? "nothing" : "something that is not JSON"
            text = Self.start(of: body)
            return
        }
        // Where the whole cannot be read, the place that matters is where it breaks.
        let breaks = reader.isBroken && path.isEmpty
        var writer = MaskedJson(target: breaks ? tree.breakingPlace : tree.written(path))
        writer.write(tree)
        if let range = writer.targetRange {
            found = breaks ? "broken JSON" : writer.found
            text = Self.window(of: writer.text, around: range)
        } else if case .element? = path.last, !reader.isBroken {
            found = "nothing"
            text = Self.window(of: writer.text, around: 0..<0)
        } else {
            // It is further inside than is looked, or under a name that the app's decoder has made of another.
            found = "something"
            text = ""
        }
    }

    private static func start(of body: Data) -> String {
        let text = String(decoding: body.prefix(longest * 2), as: UTF8.self)
        let masked = Redaction.withoutTokenLikes(Redaction.text(VisibleText.line(text)))
        return masked.count > longest ? masked.prefix(longest) + "…" : masked
    }

    private static func window(of text: String, around target: Range<Int>) -> String {
        let start = max(0, target.lowerBound - before)
        let end = min(text.count, start + longest)
        let window = text.dropFirst(start).prefix(end - start)
        return (start > 0 ? "…" : "") + window + (end < text.count ? "…" : "")
    }
}
