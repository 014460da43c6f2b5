import Foundation
import Sallyport
import SallyportTesting
import TestSupport
import Testing

@testable import SallyportJourney

@Suite(.concurrencyLimited) struct PolicyTests {
    /// Returns an attribute with policies, as an object or as JSON in a text.
    private static func attribute(_ policies: String, isText: Bool, type: String = "String") throws -> String {
        let object = #"{"policies":[\#(policies)]}"#
        let value = isText ? try JsonDocument(encoding: object).text : object
        return CallbackText.make(
            "\(type)AttributeInputCallback",
            output: [
                CallbackText.output("name", #""mail""#), CallbackText.output("required", "true"),
                CallbackText.output("policies", value),
            ].joined(separator: ",")
        )
    }

    private static func policy(_ requirement: String, _ parameters: String = "{}") -> String {
        #"{"policyId":"p","params":\#(parameters),"policyRequirements":["\#(requirement)"]}"#
    }

    @Test(
        arguments: [
            (policy("MIN_LENGTH", #"{"minLength":8}"#), "abc", "must have at least 8 characters"),
            (policy("MAX_LENGTH", #"{"maxLength":1}"#), "ab", "must have at most 1 character"),
            (policy("MAX_LENGTH", #"{"maxLength":3}"#), "abcd", "must have at most 3 characters"),
            (policy("REQUIRED"), "", "is required"),
            (policy("AT_LEAST_X_CAPITAL_LETTERS", #"{"numCaps":2}"#), "aB", "must contain at least 2 capital letters"),
            (policy("AT_LEAST_X_NUMBERS", #"{"numNums":1}"#), "ab", "must contain at least 1 digit"),
            (policy("CANNOT_CONTAIN_CHARACTERS", #"{"forbiddenChars":["/","?"]}"#), "a/b", "must not contain / ?"),
        ],
        [true, false]
    )
    func `A value that violates a policy is refused with a message, and the previous value remains`(
        _ example: (policy: String, value: String, message: String),
        isText: Bool
    ) throws {
        let text = try Self.attribute(example.policy, isText: isText)
        var attribute: StringAttributeInputCallback = try #require(try callback(text))
        let error = expectError(\JourneyError.kind, "policyViolation") { try attribute.setValue(example.value) }
        guard case .policyViolation(let violations, let failure) = error else { return }
        #expect(violations.map(\.description) == [example.message])
        #expect(failure.reason == "the attribute mail \(example.message)")
        #expect(attribute.value.isEmpty)
        #expect(attribute.missingAnswer == "the attribute mail")
    }

    @Test func `The length of a value is counted in UTF-16 code units, as the server counts it`() throws {
        let text = try Self.attribute(Self.policy("MIN_LENGTH", #"{"minLength":8}"#), isText: false)
        var attribute: StringAttributeInputCallback = try #require(try callback(text))
        try attribute.setValue("🐈🐈🐈🐈")
        let short = try Self.attribute(Self.policy("MAX_LENGTH", #"{"maxLength":7}"#), isText: false)
        var other: StringAttributeInputCallback = try #require(try callback(short))
        expectError(\JourneyError.kind, "policyViolation") { try other.setValue("🐈🐈🐈🐈") }
    }

    @Test func `An optional value may be empty`() throws {
        let policies = [
            Self.policy("MIN_LENGTH", #"{"minLength":8}"#), Self.policy("AT_LEAST_X_NUMBERS", #"{"numNums":1}"#),
        ]
        let text = try Self.attribute(policies.joined(separator: ","), isText: false)
        var attribute: StringAttributeInputCallback = try #require(try callback(text))
        try attribute.setValue("")
    }

    @Test func `Numbers are checked against their limits`() throws {
        let policies = [
            Self.policy("MINIMUM_NUMBER_VALUE", #"{"minimum":18}"#),
            Self.policy("MAXIMUM_NUMBER_VALUE", #"{"maximum":99.5}"#),
        ].joined(separator: ",")
        let text = try Self.attribute(policies, isText: false, type: "Number")
        var age: NumberAttributeInputCallback = try #require(try callback(text))
        expectError(\JourneyError.description, "the attribute mail must be at least 18; set another value") {
            try age.setValue(17)
        }
        expectError(\JourneyError.kind, "policyViolation") { try age.setValue(100) }
        for value in [Double.nan, .infinity] {
            expectError(\JourneyError.kind, "invalidAnswer") { try age.setValue(value) }
        }
        #expect(age.missingAnswer != nil)
        try age.setValue(18)
        #expect(age.value == 18 && age.missingAnswer == nil)
    }

    @Test func `Policies that only the server can check are left to it`() throws {
        let policies = [
            Self.policy("MATCH_REGEXP", #"{"regexp":"(a+)+$"}"#), Self.policy("UNIQUE"), Self.policy("NEW_POLICY"),
        ].joined(separator: ",")
        var attribute: StringAttributeInputCallback = try #require(
            try callback(Self.attribute(policies, isText: false))
        )
        try attribute.setValue(String(repeating: "a", count: 50) + "!")
    }

    @Test func `Policies that the server found violated have messages`() throws {
        let failed = [
            #""{ \"params\": {\"minLength\":8}, \"policyRequirement\": \"MIN_LENGTH\" }""#,
            #"{"policyRequirement":"UNIQUE"}"#, #"{"policyRequirement":"X_\u001b[0m"}"#, #""no json""#, "7",
        ].joined(separator: ",")
        let text = CallbackText.make(
            "ValidatedCreatePasswordCallback",
            output: CallbackText.output("failedPolicies", "[\(failed)]") + "," + CallbackText.output("echoOn", "true")
        )
        let password: ValidatedCreatePasswordCallback = try #require(try callback(text))
        #expect(
            password.failedPolicies.map(\.description) == [
                "must have at least 8 characters", "is already in use", #"violates the policy X_\u{1B}[0m"#,
            ]
        )
        #expect(password.failedPolicies.first?.parameters == ["minLength": 8])
        #expect(password.isEchoOn)
    }
}
