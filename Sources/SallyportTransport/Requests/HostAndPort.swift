/// A host and port as they stand in a URL (RFC 3986, section 3.2), in ASCII.
package struct HostAndPort {
    /// In lower case; an IPv6 address without its brackets.
    package let host: String
    package let port: Int?

    private let isAddress: Bool

    /// - Returns: `nil` if there is no host, or it or the port is not valid.
    package init?(_ authority: Substring) {
        let bytes = authority.utf8
        // Before it is put in lower case: the Kelvin sign (U+212A) would become a k.
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        let hostEnd = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[hostEnd...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        let digits = authority[colon...].dropFirst()
        guard digits.utf8.allSatisfy(ASCIISet.digits.contains) else { return nil }
        port = Int(digits)
        if !digits.isEmpty, !(1...65_535).contains(port ?? 0) { return nil }

        let name = authority[..<colon].lowercased()
        isAddress = name.utf8.first == UInt8(ascii: "[") && name.utf8.last == UInt8(ascii: "]")
        host = isAddress ? String(name.dropFirst().dropLast()) : name
        let allowed = isAddress ? Self.addressBytes : Self.nameBytes
        guard !host.isEmpty, host.utf8.allSatisfy(allowed.contains) else { return nil }
        if isAddress, !host.utf8.contains(UInt8(ascii: ":")) { return nil }
    }

    /// Both together, without the port that a scheme has anyway.
    package func authority(defaultPort: Int) -> String {
        let name = isAddress ? "[\(host)]" : host
        guard let port, port != defaultPort else { return name }
        return "\(name):\(port)"
    }

    private static let addressBytes = ASCIISet("0123456789abcdef:.")
    private static let nameBytes = ASCIISet("abcdefghijklmnopqrstuvwxyz0123456789-._")
}
