import Foundation

/// An IPv4 or IPv6 address as a number, so that it is compared by value.
package struct NumericAddress: Sendable, Hashable {
    /// Four or sixteen of them, the first one first.
    package let bytes: [UInt8]

    /// - Parameter text: As in a host, an IPv6 address without its brackets.
    /// - Returns: `nil` if it is not an address.
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

    /// The number of its bits.
    var size: Int { bytes.count * 8 }

    /// Whether its first bits are those of a network.
    func isIn(_ network: NumericAddress, bits: Int) -> Bool {
        guard bytes.count == network.bytes.count else { return false }
        let whole = bits / 8
        guard bytes.prefix(whole) == network.bytes.prefix(whole) else { return false }
        let left = bits % 8
        return left == 0 || (bytes[whole] ^ network.bytes[whole]) >> (8 - left) == 0
    }
}
