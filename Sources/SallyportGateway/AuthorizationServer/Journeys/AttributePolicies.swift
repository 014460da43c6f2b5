import Foundation
import SallyportJOSE

/// The policies for an attribute of an account, with the names that PingAM has for them.
struct AttributePolicies: Sendable {
    /// A policy that a value violates.
    struct Failure: Sendable {
        let name: String
        let parameters: [String: JsonValue]

        init(_ name: String, _ parameters: [String: JsonValue] = [:]) {
            self.name = name
            self.parameters = parameters
        }

        var value: JsonValue { ["policyRequirement": .string(name), "params": .object(parameters)] }

        /// The failure in JSON.
        var json: String {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        }
    }

    let isRequired: Bool
    private let minimumLength: Int
    private let maximumLength: Int
    private let minimum: Double?
    private let maximum: Double?
    private let digits: Int
    private let capitals: Int
    private let isEmail: Bool

    init(_ members: inout NodeMembers) throws(GatewayError) {
        isRequired = try members.bool("required", default: false)
        minimumLength = try members.integer("min-length", in: 0...1024, default: 0)
        maximumLength = try members.integer("max-length", in: 1...1024, default: 1024)
        minimum = try members.optionalNumber("minimum")
        maximum = try members.optionalNumber("maximum")
        digits = try members.integer("digits", in: 0...100, default: 0)
        capitals = try members.integer("capitals", in: 0...100, default: 0)
        isEmail = try members.bool("email", default: false)
        guard minimumLength <= maximumLength else {
            throw members.mistake("max-length", "at least \"min-length\"")
        }
        if let minimum, let maximum, minimum > maximum {
            throw members.mistake("maximum", "at least \"minimum\"")
        }
    }

    /// Returns the policies that a value violates.
    func failures(of value: JsonValue) -> [Failure] {
        if value == .null || value == "" { return isRequired ? [Failure("REQUIRED")] : [] }
        var isMet: [String: Bool] = [:]
        if let text = value.string {
            isMet["MIN_LENGTH"] = text.count >= minimumLength
            isMet["MAX_LENGTH"] = text.count <= maximumLength
            isMet["AT_LEAST_X_NUMBERS"] = text.count { $0.isASCII && $0.isNumber } >= digits
            isMet["AT_LEAST_X_CAPITAL_LETTERS"] = text.count { $0.isUppercase } >= capitals
            isMet["VALID_EMAIL_ADDRESS_FORMAT"] = Self.isEmail(text)
        }
        if let number = value.number {
            isMet["MINIMUM_NUMBER_VALUE"] = number >= minimum ?? number
            isMet["MAXIMUM_NUMBER_VALUE"] = number <= maximum ?? number
        }
        return requirements.filter { isMet[$0.name] == false }
    }

    /// Returns a Boolean value that indicates whether a text has the form of an email address. Its time is proportional to the length.
    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
    }

    /// Returns the description of the policies that the client receives.
    func description(of attribute: String) -> JsonValue {
        let required = isRequired ? [Failure("REQUIRED")] : []
        let all = required + requirements
        return [
            "name": .string(attribute),
            "policyRequirements": .array(all.map { .string($0.name) }),
            "policies": .array(
                all.map { requirement in
                    [
                        "policyId": .string(requirement.name.lowercased().replacing("_", with: "-")),
                        "policyRequirements": [.string(requirement.name)],
                        "params": .object(requirement.parameters),
                    ]
                }
            ),
        ]
    }

    /// The policies that apply, except `required`.
    private var requirements: [Failure] {
        var all: [Failure] = []
        if minimumLength > 0 { all.append(Failure("MIN_LENGTH", ["minLength": .integer(Int64(minimumLength))])) }
        if maximumLength < 1024 { all.append(Failure("MAX_LENGTH", ["maxLength": .integer(Int64(maximumLength))])) }
        if let minimum { all.append(Failure("MINIMUM_NUMBER_VALUE", ["minimum": .number(minimum)])) }
        if let maximum { all.append(Failure("MAXIMUM_NUMBER_VALUE", ["maximum": .number(maximum)])) }
        if digits > 0 { all.append(Failure("AT_LEAST_X_NUMBERS", ["numNums": .integer(Int64(digits))])) }
        if capitals > 0 { all.append(Failure("AT_LEAST_X_CAPITAL_LETTERS", ["numCaps": .integer(Int64(capitals))])) }
        if isEmail { all.append(Failure("VALID_EMAIL_ADDRESS_FORMAT")) }
        return all
    }
}
