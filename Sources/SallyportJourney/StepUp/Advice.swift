import Foundation
import Sallyport
import SallyportOAuth

/// The demand of a server that the user authenticates further before a call is answered, such as the confirmation of a transaction.
///
/// ```swift
/// if let advice = Advice(in: response) { step = try await journey.stepUp(advice: advice) }
/// ```
public struct Advice: Sendable, Hashable {
    /// The values that meet each condition, such as the identifier of a transaction or the name of a tree, by the name of the condition,
    /// such as `TransactionConditionAdvice`.
    public let conditions: [String: [String]]

    /// The maximum length of a field that contains an advice, in bytes.
    private static let maximumLength = 16 << 10

    /// Creates an advice with several conditions. All of them must be met.
    ///
    /// - Parameter conditions: The values that meet each condition, by its name, which consists of letters. They are escaped where
    ///   necessary.
    /// - Returns: `nil` if there is no condition, a name is not valid, or a condition has no value or an empty one.
    public init?(conditions: [String: [String]]) {
        let isValid = conditions.allSatisfy { name, values in
            !name.isEmpty && name.utf8.allSatisfy { ASCIISet.letters.contains($0) } && !values.isEmpty
                && !values.contains("")
        }
        guard !conditions.isEmpty, isValid else { return nil }
        self.conditions = conditions
    }

    /// Creates an advice with one condition.
    ///
    /// - Parameters:
    ///   - name: The name of the condition, which consists of letters.
    ///   - value: The value that meets the condition. It is escaped where necessary.
    /// - Returns: `nil` if the name is not valid or the value is empty.
    public init?(name: String, value: String) {
        self.init(conditions: [name: [value]])
    }

    /// Reads the advice of a response: of the redirect of a policy agent (status 307), or of the challenge `SSOADVICE`
    /// (status 401). Redirects are not followed.
    ///
    /// - Returns: `nil` if the response contains none.
    public init?(in response: HttpResponse) {
        switch response.status.code {
        case 307:
            guard let location = response.getHeader(name: NetworkConstants.headerLocation) else { return nil }
            self.init(location: location)
        case 401:
            let fields = response.getHeaders(name: "WWW-Authenticate")
            let advices = AuthenticationChallenge.all(in: fields).compactMap { Self(challenge: $0) }
            guard let advice = advices.first else { return nil }
            self = advice
        default: return nil
        }
    }

    /// Reads the query of a redirect to the server's sign-in page.
    private init?(location: String) {
        guard location.utf8.count <= Self.maximumLength else { return nil }
        let query = location.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        let pairs = QueryText.pairs(of: query)
        guard pairs.contains(where: { $0.name == "authIndexType" && $0.value == "composite_advice" }),
            let xml = pairs.first(where: { $0.name == "authIndexValue" })?.value
        else { return nil }
        self.init(xml: xml)
    }

    /// Reads a challenge. Its parameter `advices` is a JSON object in base64.
    private init?(challenge: AuthenticationChallenge) {
        guard challenge.scheme == "ssoadvice", let text = challenge.parameters["advices"],
            let data = EitherBase64.decode(text),
            let advices = try? JSONDecoder().decode([String: [String]].self, from: data)
        else { return nil }
        self.init(conditions: advices)
    }

    /// Reads the conditions of an XML text in the form of ``xml``.
    private init?(xml: String) {
        let pairs = xml.matches(of: /<Attribute\s+name="([^"]*)"\s*\/>((?:\s*<Value>[^<]*<\/Value>)+)/).map { match in
            let values = match.2.matches(of: /<Value>([^<]*)<\/Value>/).map { XMLText.decoded($0.1) }
            return (String(match.1), values)
        }
        self.init(conditions: Dictionary(pairs) { $0 + $1 })
    }

    /// The identifier of the transaction; `nil` if the advice does not demand the confirmation of one.
    public var transactionID: String? { conditions["TransactionConditionAdvice"]?.first }

    /// The advice as the XML text with which a tree is started.
    public var xml: String {
        let pairs = conditions.sorted { $0.key < $1.key }.map { name, values in
            let values = values.map { "<Value>\(XMLText.encoded($0))</Value>" }.joined()
            return "<AttributeValuePair><Attribute name=\"\(name)\"/>\(values)</AttributeValuePair>"
        }
        return "<Advices>\(pairs.joined())</Advices>"
    }
}

extension Advice: CustomStringConvertible {
    /// The names of the conditions.
    public var description: String { conditions.keys.sorted().joined(separator: ", ") }
}

/// Escapes the characters that have a meaning in XML.
private enum XMLText {
    private static let entities = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;")]

    static func encoded(_ text: String) -> String {
        entities.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    static func decoded(_ text: Substring) -> String {
        // The ampersand is decoded last, so that no other entity results from it.
        entities.reversed().reduce(String(text)) { $0.replacing($1.1, with: $1.0) }
    }
}
