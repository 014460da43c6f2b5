import Sallyport
import SallyportOAuth

/// A rule of the server that a value violates, such as a minimum length.
public struct PolicyViolation: Sendable, Hashable {
    /// The name of the rule, such as `MIN_LENGTH`.
    public let requirement: String

    /// The parameters of the rule, such as `["minLength": 8]`.
    public let parameters: [String: JsonValue]

    /// Hashes the name of the rule.
    public func hash(into hasher: inout Hasher) { hasher.combine(requirement) }
}

extension PolicyViolation: CustomStringConvertible {
    /// A sentence without subject and full stop, such as `must have at least 8 characters`.
    public var description: String {
        switch requirement {
        case "REQUIRED", "NOT_EMPTY": "is required"
        case "MIN_LENGTH": "must have at least \(count("minLength", "character"))"
        case "MAX_LENGTH": "must have at most \(count("maxLength", "character"))"
        case "AT_LEAST_X_CAPITAL_LETTERS": "must contain at least \(count("numCaps", "capital letter"))"
        case "AT_LEAST_X_NUMBERS": "must contain at least \(count("numNums", "digit"))"
        case "CANNOT_CONTAIN_CHARACTERS": "must not contain \(list("forbiddenChars"))"
        case "CANNOT_CONTAIN_OTHERS": "must not contain the value of \(list("disallowedFields"))"
        case "CANNOT_CONTAIN_DUPLICATES": "must not contain the same characters in a row"
        case "MINIMUM_NUMBER_VALUE": "must be at least \(text("minimum"))"
        case "MAXIMUM_NUMBER_VALUE": "must be at most \(text("maximum"))"
        case "MATCH_REGEXP": "does not have the required form"
        case "UNIQUE": "is already in use"
        case "VALID_EMAIL_ADDRESS_FORMAT": "must be an email address"
        case "VALID_NUMBER": "must be a number"
        case "VALID_DATE": "must be a date"
        default: "violates the policy \(SanitizedText.make(from: requirement))"
        }
    }

    private func text(_ name: String) -> String {
        switch parameters[name] {
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): SanitizedText.make(from: value)
        default: "the required number"
        }
    }

    private func count(_ name: String, _ noun: String) -> String {
        let number = text(name)
        return number == "1" ? "1 \(noun)" : "\(number) \(noun)s"
    }

    private func list(_ name: String) -> String {
        let texts = parameters[name]?.array?.compactMap(\.string) ?? [parameters[name]?.string].compactMap(\.self)
        return SanitizedText.make(from: texts.joined(separator: " "))
    }
}

/// The policies of a callback, as far as they can be checked before the server checks them.
///
/// Regular expressions are left to the server: a pattern of a server could take unlimited time.
struct Policies {
    private let policies: [PolicyViolation]

    /// Reads the output `policies`, which is a JSON object or a text that contains one.
    init(_ document: JsonDocument?) {
        policies = (document?["policies"]?.elements ?? []).flatMap { policy -> [PolicyViolation] in
            let parameters: [String: JsonValue] = (try? policy["params"]?.decode()) ?? [:]
            return (policy["policyRequirements"]?.elements ?? []).compactMap(\.string).map { requirement in
                PolicyViolation(requirement: requirement, parameters: parameters)
            }
        }
    }

    /// Returns the policies that a text violates. An empty text is no answer, so that it can only violate the policy that requires one.
    func violations(by text: String) -> [PolicyViolation] {
        policies.filter { policy in
            if text.isEmpty { return ["REQUIRED", "NOT_EMPTY"].contains(policy.requirement) }
            func limit(_ name: String) -> Int? { policy.parameters[name]?.integer.flatMap { Int(exactly: $0) } }
            return switch policy.requirement {
            // The server counts UTF-16 code units.
            case "MIN_LENGTH": limit("minLength").map { text.utf16.count < $0 } ?? false
            case "MAX_LENGTH": limit("maxLength").map { text.utf16.count > $0 } ?? false
            case "AT_LEAST_X_CAPITAL_LETTERS": limit("numCaps").map { text.count(where: \.isUppercase) < $0 } ?? false
            case "AT_LEAST_X_NUMBERS": limit("numNums").map { text.utf8.count(where: \.isDigit) < $0 } ?? false
            case "CANNOT_CONTAIN_CHARACTERS":
                policy.parameters["forbiddenChars"]?.array?.compactMap(\.string)
                    .contains { !$0.isEmpty && text.contains($0) } ?? false
            default: false
            }
        }
    }

    /// Returns the policies that a number violates.
    func violations(by number: Double) -> [PolicyViolation] {
        policies.filter { policy in
            switch policy.requirement {
            case "MINIMUM_NUMBER_VALUE": policy.parameters["minimum"]?.number.map { number < $0 } ?? false
            case "MAXIMUM_NUMBER_VALUE": policy.parameters["maximum"]?.number.map { number > $0 } ?? false
            default: false
            }
        }
    }
}

extension PolicyViolation {
    /// Reads the output `failedPolicies`: an array of JSON objects, or of texts that contain one.
    static func all(in document: JsonDocument?) -> [PolicyViolation] {
        (document?.elements ?? []).compactMap { element in
            guard let policy = element.string.map({ try? JsonDocument($0) }) ?? element,
                let requirement = policy["policyRequirement"]?.string
            else { return nil }
            return PolicyViolation(requirement: requirement, parameters: (try? policy["params"]?.decode()) ?? [:])
        }
    }
}
