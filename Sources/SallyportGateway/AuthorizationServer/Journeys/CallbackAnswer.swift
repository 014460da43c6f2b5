import SallyportJOSE

/// The answer to a callback. Its values have been checked against the callback's inputs.
struct CallbackAnswer: Sendable {
    /// The values by the suffix of the input.
    private let values: [String: JsonValue]

    private init(values: [String: JsonValue]) {
        self.values = values
    }

    /// Returns the text of an input; empty if the input has none.
    func text(_ suffix: String = "") -> String { values[suffix]?.string ?? "" }

    func bool(_ suffix: String = "") -> Bool { values[suffix]?.bool ?? false }

    func index(_ suffix: String = "") -> Int { values[suffix]?.integer.map(Int.init) ?? 0 }

    subscript(_ suffix: String) -> JsonValue? { values[suffix] }
}

extension CallbackAnswer {
    /// Returns the answers to the callbacks of a page.
    ///
    /// The client returns the callbacks with their inputs filled. Their outputs are ignored. An input that is missing has the value that
    /// the page had.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - page: The page that was sent.
    /// - Throws: Status 400 with the first callback that does not match the page.
    static func answers(in body: [String: JsonValue], to page: JourneyPage) throws(JourneyRefusal) -> [CallbackAnswer] {
        let received = body["callbacks"]?.array ?? []
        guard received.count == page.callbacks.count else {
            throw .badRequest("The request has \(received.count) callbacks, but this step has \(page.callbacks.count).")
        }
        var answers: [CallbackAnswer] = []
        for (index, callback) in page.callbacks.enumerated() {
            answers.append(try CallbackAnswer(received[index], to: callback, number: index + 1))
        }
        return answers
    }

    private init(_ received: JsonValue, to callback: JourneyCallback, number: Int) throws(JourneyRefusal) {
        guard received["type"]?.string == callback.type else {
            let type = received["type"]?.string?.prefix(64) ?? "without a type"
            throw .badRequest("Callback \(number) is \(type), but this step has a \(callback.type) there.")
        }
        var given: [String: JsonValue] = [:]
        for input in received["input"]?.array ?? [] {
            guard let name = input["name"]?.string, let value = input["value"],
                given.updateValue(value, forKey: name) == nil
            else {
                throw .badRequest("An input of callback \(number) has no name or value, or the name is repeated.")
            }
        }
        var values: [String: JsonValue] = [:]
        for input in callback.inputs {
            let name = "IDToken\(number)\(input.suffix)"
            values[input.suffix] = try input.checked(given.removeValue(forKey: name) ?? input.value, name: name)
        }
        if let unknown = given.keys.sorted().first {
            throw .badRequest("Callback \(number) has no input \(unknown.prefix(64)).")
        }
        self.init(values: values)
    }
}

extension JourneyCallback.Input {
    /// Returns a value if the input accepts it.
    fileprivate func checked(_ value: JsonValue, name: String) throws(JourneyRefusal) -> JsonValue {
        switch kind {
        case .text(let maximum):
            guard let text = value.string else { throw .badRequest("\(name) must be a string.") }
            guard text.utf8.count <= maximum else { throw .badRequest("\(name) is longer than \(maximum) bytes.") }
            guard !isRequired || !text.isEmpty else { throw .badRequest("\(name) needs an answer.") }
        case .bool:
            guard value.bool != nil else { throw .badRequest("\(name) must be true or false.") }
        case .number:
            guard value.number != nil || value == .null || value == "" else {
                throw .badRequest("\(name) must be a number.")
            }
        case .index(let count):
            // Some clients send the index as a string.
            guard let index = value.integer ?? value.string.flatMap(Int64.init), (0..<Int64(count)).contains(index)
            else { throw .badRequest("\(name) must be an integer from 0 to \(count - 1).") }
            return .integer(index)
        case .any: break
        }
        return value
    }
}
