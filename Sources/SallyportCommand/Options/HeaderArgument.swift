import ArgumentParser

/// An argument of the form `Name: value`.
struct HeaderArgument: Sendable {
    let name: String
    let value: String

    /// - Throws: A usage error for an argument without a colon, or without a name.
    init(_ argument: String) throws {
        guard let colon = argument.firstIndex(of: ":"), colon != argument.startIndex else {
            throw ValidationError("It must have the form 'Name: value'.")
        }
        name = String(argument[..<colon])
        value = String(argument[argument.index(after: colon)...])
    }
}
