import ArgumentParser
import SallyportOAuth
import SallyportTransport

/// An argument of an option `--scope`: one scope, or several that are separated by spaces.
struct ScopeArgument: Sendable {
    let scopes: [String]

    /// - Throws: A usage error if there is no scope, or one with a character that scopes cannot have.
    init(_ argument: String) throws {
        scopes = argument.split(separator: " ").map(String.init)
        if scopes.isEmpty { throw ValidationError("It must be a scope, or several that are separated by spaces.") }
        if let invalid = scopes.first(where: { !ScopeToken.isValid($0) }) {
            throw ValidationError(
                "\"\(VisibleText.line(invalid, longest: 100))\" has a character that is not allowed in scopes. Separate "
                    + "scopes by spaces, or repeat the option."
            )
        }
    }
}
