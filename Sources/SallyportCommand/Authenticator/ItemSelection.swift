import Foundation
import Sallyport

/// The selection of a stored item, such as a passkey, by an argument.
struct ItemSelection<Item: CustomStringConvertible & Sendable>: Sendable {
    /// The word for one item in errors.
    let noun: String
    /// Returns the complete identifier of an item.
    let identifier: @Sendable (Item) -> String

    /// Returns the identifier to show: the first eight letters and digits.
    func shortIdentifier(_ item: Item) -> String { String(Self.plain(identifier(item)).prefix(8)) }

    /// Returns a line with the identifier and the description of an item.
    func line(_ item: Item, _ details: String = "") -> String {
        VisibleText.line("\(shortIdentifier(item))  \(item)\(details)")
    }

    /// Returns the item whose identifier begins with a text. If there is none, returns the item whose description
    /// contains the text. The case of letters does not matter.
    ///
    /// - Parameter text: The text; `nil` if there is only one item.
    /// - Throws: ``CommandFailure`` that lists the items, unless exactly one matches.
    func one(of items: [Item], matching text: String?) throws(CommandFailure) -> Item {
        guard let text else {
            if items.count == 1 { return items[0] }
            throw failure(items.isEmpty ? "there is no \(noun)" : "there are several; select one", items)
        }
        let plain = Self.plain(text).lowercased()
        let byIdentifier = items.filter { !plain.isEmpty && Self.plain(identifier($0)).lowercased().hasPrefix(plain) }
        let found =
            byIdentifier.isEmpty ? items.filter { "\($0)".lowercased().contains(text.lowercased()) } : byIdentifier
        if found.count == 1 { return found[0] }
        let quoted = "\"\(VisibleText.line(text, longest: 100))\""
        throw failure(
            found.isEmpty ? "there is no \(noun) \(quoted)" : "more than one \(noun) matches \(quoted)",
            found.isEmpty ? items : found
        )
    }

    private func failure(_ reason: String, _ items: [Item]) -> CommandFailure {
        CommandFailure(.usage, ([reason + (items.isEmpty ? "" : ":")] + items.map { line($0) }).joined(separator: "\n"))
    }

    private static func plain(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
}

/// The argument with the URI in a server's QR code, which contains a secret.
enum RegistrationURI {
    /// Returns the URI, which is read from standard input if the argument is `-`.
    static func read(_ argument: String) async throws -> String {
        argument == "-" ? try await SecretInput.text("-", kind: "URI") : argument
    }

    /// The help for the argument.
    static let help = "The URI in the server's QR code, or - for standard input."
}
