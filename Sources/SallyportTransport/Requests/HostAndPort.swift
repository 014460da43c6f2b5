/// A host and port as they stand in a URL (RFC 3986, section 3.2), in ASCII.
package struct HostAndPort {
    /// In lower case; an IPv6 address without its brackets.
    package let host: String
    package let port: Int?

    private let isAddress: Bool

    /// - Returns: `nil` if there is no host, or it or the port is not valid.
    package init?(_ authority: Substring) {
        var authority = authority
        let parts = authority.withUTF8 { bytes in Self.parts(of: bytes) }
        guard let parts else { return nil }
        (host, port, isAddress) = parts
    }

    private static func parts(of bytes: UnsafeBufferPointer<UInt8>) -> (host: String, port: Int?, isAddress: Bool)? {
        let isAddress = bytes.first == UInt8(ascii: "[")
        let bracket = isAddress ? bytes.firstIndex(of: UInt8(ascii: "]")) : 0
        guard let bracket else { return nil }
        let end = bytes[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        guard let port = port(bytes[end...].dropFirst()) else { return nil }
        let name = isAddress ? bytes[..<end].dropFirst().dropLast() : bytes[..<end]
        // Nothing but ASCII is allowed, as the Kelvin sign (U+212A) would become a k in lower case.
        let allowed = isAddress ? addressBytes : nameBytes
        guard !name.isEmpty, name.allSatisfy(allowed.contains), !isAddress || bracket == end - 1 else { return nil }
        if isAddress, !name.contains(UInt8(ascii: ":")) { return nil }
        return (String(decoding: name, as: UTF8.self).lowercased(), port == 0 ? nil : port, isAddress)
    }

    /// - Returns: 0 where there are no digits; `nil` for what is no port.
    private static func port(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard digits.allSatisfy(ASCIISet.digits.contains) else { return nil }
        if digits.isEmpty { return 0 }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard significant.count <= 5 else { return nil }
        let number = significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return (1...65_535).contains(number) ? number : nil
    }

    /// Both together, without the port that a scheme has anyway.
    package func authority(defaultPort: Int) -> String {
        let name = isAddress ? "[" + host + "]" : host
        guard let port, port != defaultPort else { return name }
        return name + ":" + String(port)
    }

    private static let addressBytes = ASCIISet("0123456789abcdefABCDEF:.")
    private static let nameBytes = ASCIISet.letters.union(.digits).union(ASCIISet("-._"))
}
