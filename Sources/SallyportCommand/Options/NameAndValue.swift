import ArgumentParser

/// An argument of the form `name=value`.
struct NameAndValue: Sendable {
    let name: String
    let value: String

    /// - Throws: A usage error for an argument without an equals sign, or without a name.
    init(_ argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("It must have the form name=value.")
        }
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}
