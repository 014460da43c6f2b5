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
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        port = Int(digits)
        if !digits.isEmpty, !(1...65_535).contains(port ?? 0) { return nil }

        let name = authority[..<colon].lowercased()
        isAddress = name.hasPrefix("[") && name.hasSuffix("]")
        host = isAddress ? String(name.dropFirst().dropLast()) : name
        guard !host.isEmpty, host.utf8.allSatisfy(isAddress ? Self.isInAddress : Self.isInName) else { return nil }
        if isAddress, !host.contains(":") { return nil }
    }

    /// Both together, without the port that a scheme has anyway.
    package func authority(defaultPort: Int) -> String {
        let name = isAddress ? "[\(host)]" : host
        guard let port, port != defaultPort else { return name }
        return "\(name):\(port)"
    }

    private static func isInAddress(_ byte: UInt8) -> Bool {
        "0123456789abcdef:.".utf8.contains(byte)
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._".utf8.contains(byte)
        }
    }
}
