import Foundation
import SallyportJOSE

/// A callback of a tree: the outputs that the user is shown, and the inputs for the answer.
struct JourneyCallback: Sendable {
    /// The kind of value that an input accepts.
    enum Kind: Sendable {
        /// A string of at most a number of bytes.
        case text(maximum: Int)
        case bool
        case number
        /// An integer from 0, such as the index of a choice, that is less than a number.
        case index(below: Int)
        /// Any JSON value.
        case any
    }

    /// An input of a callback.
    struct Input: Sendable {
        /// The end of the name, after `IDToken` and the number of the callback.
        let suffix: String
        let kind: Kind
        /// The value that the client receives.
        let value: JsonValue
        /// A Boolean value that indicates whether an empty answer is refused.
        let isRequired: Bool

        init(_ suffix: String, _ kind: Kind, value: JsonValue, isRequired: Bool = false) {
            self.suffix = suffix
            self.kind = kind
            self.value = value
            self.isRequired = isRequired
        }

        init(_ kind: Kind, value: JsonValue) {
            self.init("", kind, value: value)
        }

        static func text(_ suffix: String = "", maximum: Int = 1024, value: JsonValue = "", isRequired: Bool = false)
            -> Input
        {
            Input(suffix, .text(maximum: maximum), value: value, isRequired: isRequired)
        }
    }

    let type: String
    /// The outputs, in the order they are sent.
    let outputs: [(name: String, value: JsonValue)]
    let inputs: [Input]

    init(_ type: String, _ outputs: [(name: String, value: JsonValue)] = [], _ inputs: [Input] = []) {
        self.type = type
        self.outputs = outputs
        self.inputs = inputs
    }

    /// Returns a text for the user.
    ///
    /// - Parameters:
    ///   - message: The text.
    ///   - type: 0 for information, 1 for a warning, 2 for an error.
    static func message(_ message: String, type: Int = 0) -> JourneyCallback {
        JourneyCallback("TextOutputCallback", [("message", .string(message)), ("messageType", .string("\(type)"))])
    }

    /// Returns a hidden value, which programs read and can change.
    static func hidden(_ id: String, value: String = "", maximum: Int = 1024) -> JourneyCallback {
        JourneyCallback(
            "HiddenValueCallback",
            [("value", .string(value)), ("id", .string(id))],
            [Input(.text(maximum: maximum), value: .string(id))]
        )
    }

    /// Returns a request to wait before the next step.
    ///
    /// - Parameters:
    ///   - milliseconds: The time to wait.
    ///   - message: The text for the user.
    static func wait(_ milliseconds: Int, message: String) -> JourneyCallback {
        JourneyCallback(
            "PollingWaitCallback",
            [("waitTime", .string("\(milliseconds)")), ("message", .string(message))]
        )
    }

    /// Returns buttons. The user selects one of them.
    static func confirmation(_ options: [String]) -> JourneyCallback {
        JourneyCallback(
            "ConfirmationCallback",
            [
                ("prompt", ""), ("messageType", 0), ("options", .array(options.map { .string($0) })),
                ("optionType", -1),
                ("defaultOption", 0),
            ],
            [Input(.index(below: options.count), value: 0)]
        )
    }

    /// Returns the JSON of the callback at an index of a page, which begins with 0.
    func json(at index: Int) -> JsonValue {
        var members: [String: JsonValue] = [
            "type": .string(type),
            "output": .array(outputs.map { ["name": .string($0.name), "value": $0.value] }),
            "_id": .integer(Int64(index)),
        ]
        if !inputs.isEmpty {
            members["input"] = .array(
                inputs.map { ["name": .string("IDToken\(index + 1)\($0.suffix)"), "value": $0.value] }
            )
        }
        return .object(members)
    }
}

/// The callbacks of a step, with its descriptions.
struct JourneyPage: Sendable {
    var stage: String?
    var header: String?
    var description: String?
    var callbacks: [JourneyCallback]

    init(_ callbacks: [JourneyCallback]) {
        self.callbacks = callbacks
    }

    /// Returns the members of the response with the page.
    func members(authID: String) -> [String: JsonValue] {
        var members: [String: JsonValue] = [
            "authId": .string(authID),
            "callbacks": .array(callbacks.enumerated().map { $1.json(at: $0) }),
        ]
        members["stage"] = stage.map { .string($0) }
        members["header"] = header.map { .string($0) }
        members["description"] = description.map { .string($0) }
        return members
    }
}
