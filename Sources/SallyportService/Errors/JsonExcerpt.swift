import Foundation
import Sallyport
import SallyportTransport

/// The value at a path of a JSON document, and the text around it with secrets masked.
struct JsonExcerpt {
    /// The maximum number of bytes of a body that are read.
    private static let maximumBodySize = 1 << 20
    /// The maximum number of bytes of a body other than JSON that are read.
    private static let maximumStartSize = 16 << 10
    /// The maximum number of characters before the value in the excerpt.
    private static let before = 90
    /// The maximum number of characters in the excerpt.
    private static let longest = 230

    /// A description of the value.
    let found: String
    /// The text around the value; empty if there is none to show.
    let text: String

    init(of body: Data, at path: [JsonPathStep], masking masker: SecretMasker) {
        var reader = JsonTreeReader([UInt8](body.prefix(Self.maximumBodySize)))
        let tree = reader.readAll()
        if case .broken = tree {
            found = body.isEmpty ? "nothing" : BodyText.markup(body) ?? "something that is not JSON"
            text = Self.start(of: body, masker)
            return
        }
        // If the document has a syntax error, the excerpt shows its position.
        let showsError = reader.isBroken && path.isEmpty
        var writer = MaskedJson(target: showsError ? tree.errorPath : tree.originalPath(path), masker)
        writer.write(tree)
        if let range = writer.targetRange {
            found = showsError ? "broken JSON" : writer.found
            text = Self.window(of: writer.text, around: range)
        } else if case .element? = path.last, !reader.isBroken {
            found = "nothing"
            text = Self.window(of: writer.text, around: 0..<0)
        } else {
            // The path is deeper than the maximum depth of the reader, or the decoder has converted a name in a custom way.
            found = "something"
            text = ""
        }
    }

    private static func start(of body: Data, _ masker: SecretMasker) -> String {
        let text = masker.masked(String(decoding: body.prefix(maximumStartSize), as: UTF8.self)).prefix(longest * 2)
        let masked = Redaction.maskingTokens(Redaction.text(VisibleText.line(String(text))))
        return masked.count > longest ? masked.prefix(longest) + "…" : masked
    }

    private static func window(of text: String, around target: Range<Int>) -> String {
        let start = max(0, target.lowerBound - before)
        let end = min(text.count, start + longest)
        let window = text.dropFirst(start).prefix(end - start)
        return (start > 0 ? "…" : "") + window + (end < text.count ? "…" : "")
    }
}
