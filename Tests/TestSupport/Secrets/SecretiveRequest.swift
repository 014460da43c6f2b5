import Foundation
import Testing

/// A request with secrets in many places, and the answer of a server that repeats them.
///
/// Each secret is a canary: a text that looks random and occurs once. Beside the secrets, a public text is sent, which every output must show.
public struct SecretiveRequest: Sendable, CustomTestStringConvertible {
    /// The public text.
    public static let marker = "shown-7f3a-2c"

    /// The description of the body.
    public let name: String
    /// The query, with percent-encoding.
    public let query: String
    /// The header fields, in order.
    public let fields: [(name: String, value: String)]
    /// The media type of the body.
    public let type: String
    /// The body.
    public let body: [UInt8]
    /// The secrets as the client knows them.
    public let canaries: [String]

    /// The name of the request.
    public var testDescription: String { name }

    /// The canaries in each form that is searched for.
    private var forms: [(canary: String, form: Data)] {
        canaries.flatMap { canary in
            let base64 = Data(canary.utf8).base64EncodedString().prefix { $0 != "=" }
            return [canary, Self.escaped(canary), String(base64)].map { (canary, Data($0.utf8)) }
        }
    }

    /// Returns the canaries that an output contains, plain, percent-encoded or in Base64.
    public func leaks(in output: String) -> [String] {
        let output = Data(output.utf8)
        return forms.filter { output.range(of: $0.form) != nil }.map(\.canary)
    }

    /// Returns the response of a server that repeats what it received. The path of the request, such as `/400`, determines the status.
    public func echo(to received: ReceivedRequest) -> [UInt8] {
        let status = received.target.dropFirst().prefix { $0.isNumber }
        let plain = canaries.joined(separator: " ")
        let escaped = canaries.map(Self.escaped)
        let base64 = canaries.map { Data($0.utf8).base64EncodedString() }
        let message = "You sent \(plain) and \(Self.marker)."
        let body = try? JSONSerialization.data(withJSONObject: ["message": message, "echo": base64] as [String: Any])
        let lines = [
            "HTTP/1.1 \(status) Refused \(plain) \(Self.marker)", "X-Echo: \(Self.marker) \(plain)",
            "X-Encoded: \(Self.marker) \((escaped + base64).joined(separator: ", "))",
            "X-Received: \(Self.marker) \(received.fields.map { "\($0.name): \($0.value)" }.joined(separator: " | "))",
            "Location: http://a.example:99999/\(Self.marker)/\(escaped.joined(separator: "/"))",
            "Set-Cookie: echo=\(escaped[0]); Path=/\(escaped[1])", "Content-Type: application/json",
            "Content-Length: \(body?.count ?? 0)",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + [UInt8](body ?? Data())
    }

    /// Returns a text with all characters escaped except for letters, digits, hyphens and the like.
    static func escaped(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }
}

/// Creates canaries, and remembers them.
struct CanaryMaker {
    private var random = SeededGenerator(seed: 2_026)
    private(set) var made: [String] = []

    /// Returns a new canary that looks like a token, or one with characters that are escaped in URLs.
    mutating func next(_ length: Int = 22, punctuated: Bool = false) -> String {
        add(text(length, punctuated: punctuated))
    }

    /// Returns a new canary in the form of a JSON Web Token.
    mutating func token() -> String { add("eyJhbGciOiJub25lIn0.\(text(30)).\(text(43))") }

    private mutating func text(_ length: Int, punctuated: Bool = false) -> String {
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        let characters = letters + Array("23456789") + (punctuated ? Array("+/") : [])
        let text = (0..<length).map { index -> Character in
            switch index {
            case 0: letters.randomElement(using: &random) ?? "x"
            case 5: "7"
            case 9 where punctuated: "/"
            default: characters.randomElement(using: &random) ?? "x"
            }
        }
        return String(text)
    }

    /// Adds a text that is a secret.
    mutating func add(_ canary: String) -> String {
        made.append(canary)
        return canary
    }

    /// Forgets the canaries, for the next request.
    mutating func reset() { made = [] }
}
