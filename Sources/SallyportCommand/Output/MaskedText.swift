import Sallyport

/// Text that may be shown to anyone, masked by the rules that the SDK has for its logs.
enum MaskedText {
    /// The fields of a head, one a line.
    static func lines(_ fields: HTTPFields) -> [String] {
        fields.isEmpty ? [] : HttpHeaders(fields).description.split(separator: "\n").map(String.init)
    }

    /// A text in which pairs such as `token=abc` may stand.
    static func text(_ text: String) -> String {
        let line = HttpHeaders([.location: text]).description
        return String(line.dropFirst("Location: ".count))
    }
}
