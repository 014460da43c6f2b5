import Foundation

/// The host and port of a URL (RFC 3986, section 3.2), in ASCII.
package struct HostAndPort {
    /// The host in lower case. An IPv6 address has no brackets.
    package let host: String
    package let port: Int?

    private let isAddress: Bool

    /// Parses an authority. Returns `nil` if the host is missing, or the host or port is invalid.
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
        // Only ASCII is allowed: the Kelvin sign (U+212A), for example, would become a k in lower case.
        let allowed = isAddress ? addressBytes : nameBytes
        guard !name.isEmpty, name.allSatisfy(allowed.contains), !isAddress || bracket == end - 1 else { return nil }
        if isAddress, !name.contains(UInt8(ascii: ":")) { return nil }
        let text = String(decoding: name, as: UTF8.self)
        return (name.contains(where: \.isUppercase) ? text.lowercased() : text, port == 0 ? nil : port, isAddress)
    }

    /// Returns the port; 0 if there are no digits, and `nil` if it is invalid.
    private static func port(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        guard digits.allSatisfy(ASCIISet.digits.contains) else { return nil }
        if digits.isEmpty { return 0 }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard significant.count <= 5 else { return nil }
        let number = significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return (1...65_535).contains(number) ? number : nil
    }

    /// Returns the host, and the port unless it is the scheme's default.
    package func authority(defaultPort: Int) -> String {
        let name = isAddress ? "[" + host + "]" : host
        guard let port, port != defaultPort else { return name }
        return name + ":" + String(port)
    }

    private static let addressBytes = ASCIISet("0123456789abcdefABCDEF:.")
    private static let nameBytes = ASCIISet.letters.union(.digits).union(ASCIISet("-._"))
}

/// An IPv4 or IPv6 address that is compared by value.
package struct NumericAddress: Sendable, Hashable {
    /// The four or sixteen bytes in network order.
    package let bytes: [UInt8]

    /// Parses an address. Returns `nil` if the text is not an address.
    ///
    /// - Parameter text: The address. An IPv6 address has no brackets.
    package init?(_ text: some StringProtocol) {
        var bytes = [UInt8](repeating: 0, count: 16)
        let isIPv6 = text.contains(":")
        guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), &bytes) == 1 else { return nil }
        self.bytes = isIPv6 ? bytes : Array(bytes.prefix(4))
    }

    /// A Boolean value that indicates whether it is `::1` or one of `127.0.0.0/8`.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The number of bits.
    var size: Int { bytes.count * 8 }

    /// Returns a Boolean value that indicates whether the address belongs to a network.
    ///
    /// - Parameter bits: The length of the network's prefix.
    func isIn(_ network: NumericAddress, bits: Int) -> Bool {
        guard bytes.count == network.bytes.count else { return false }
        let fullBytes = bits / 8
        guard bytes.prefix(fullBytes) == network.bytes.prefix(fullBytes) else { return false }
        let remainingBits = bits % 8
        return remainingBits == 0 || (bytes[fullBytes] ^ network.bytes[fullBytes]) >> (8 - remainingBits) == 0
    }
}
