/// The name of a scope (RFC 6749, section 3.3).
package enum ScopeToken {
    /// Returns a Boolean value that indicates whether a text is the name of a scope: printable ASCII characters, without spaces, quotation
    /// marks and backslashes.
    package static func isValid(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
