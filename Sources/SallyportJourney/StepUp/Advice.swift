import Foundation
import Sallyport
import SallyportOAuth

/// The demand of a server that the user authenticates further before a call is answered, such as the confirmation of a transaction.
///
/// ```swift
/// if let advice = Advice(in: response) { step = try await journey.stepUp(advice: advice) }
/// ```
public struct Advice: Sendable, Hashable {
    /// The name of the condition that is not met, such as `TransactionConditionAdvice`.
    public let name: String

    /// The value that meets the condition: the identifier of a transaction, or the name of a tree.
    public let value: String

    /// The maximum length of a field that contains an advice, in bytes.
    private static let maximumLength = 16 << 10

    /// Creates an advice.
    ///
    /// - Parameters:
    ///   - name: The name of the condition, which consists of letters.
    ///   - value: The value that meets the condition. It is escaped where necessary.
    /// - Returns: `nil` if the name is not valid or the value is empty.
    public init?(name: String, value: String) {
        guard !name.isEmpty, name.utf8.allSatisfy({ ASCIISet.letters.contains($0) }), !value.isEmpty else { return nil }
        self.name = name
        self.value = value
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

    /// Reads a challenge, whose parameter `advices` is a JSON object in base64.
    private init?(challenge: AuthenticationChallenge) {
        guard challenge.scheme == "ssoadvice", let text = challenge.parameters["advices"],
            let data = Data(base64Encoded: text),
            let advices = try? JSONDecoder().decode([String: [String]].self, from: data),
            let (name, values) = advices.min(by: { $0.key < $1.key }), let value = values.first
        else { return nil }
        self.init(name: name, value: value)
    }

    /// Reads the first condition of an XML text in the form of ``xml``.
    private init?(xml: String) {
        guard let match = xml.firstMatch(of: /<Attribute\s+name="([^"]*)"\s*\/>\s*<Value>([^<]*)<\/Value>/) else {
            return nil
        }
        self.init(name: String(match.1), value: XMLText.decoded(match.2))
    }

    /// The identifier of the transaction; `nil` if the advice does not demand the confirmation of one.
    public var transactionID: String? { name == "TransactionConditionAdvice" ? value : nil }

    /// The advice as the XML text with which a tree is started.
    public var xml: String {
        "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(XMLText.encoded(value))</Value>"
            + "</AttributeValuePair></Advices>"
    }
}

extension Advice: CustomStringConvertible {
    /// The name of the condition.
    public var description: String { name }
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
