import Foundation

/// A host and port as they stand in a URL.
struct HostAndPort {
    private let host: String
    private let port: Int?

    /// - Returns: `nil` if there is no host, or it or the port is not valid.
    init?(_ authority: Substring) {
        guard let authority = Self.inAscii(authority) else { return nil }
        let bytes = authority.utf8
        let hostEnd = bytes.lastIndex(of: UInt8(ascii: "]")) ?? bytes.startIndex
        let colon = bytes[hostEnd...].firstIndex(of: UInt8(ascii: ":"))
        host = authority[..<(colon ?? bytes.endIndex)].lowercased()
        let digits = colon.map { bytes[$0...].dropFirst() } ?? bytes[bytes.endIndex...]
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        port = Int(Substring(digits))
        if !digits.isEmpty, !(1...65_535).contains(port ?? 0) { return nil }
        guard Self.isAddress(host) || !host.isEmpty && host.utf8.allSatisfy(Self.isAllowed) else { return nil }
    }

    /// An international name in the form that resolvers know (RFC 5891); any other as it is.
    private static func inAscii(_ authority: Substring) -> Substring? {
        if authority.utf8.allSatisfy({ $0 < 0x80 }) { return authority }
        return URL(string: "http://\(authority)/")?.absoluteString.dropFirst(7).dropLast()
    }

    /// Whether it has the form of an IPv6 address in brackets.
    private static func isAddress(_ host: String) -> Bool {
        guard host.hasPrefix("["), host.hasSuffix("]") else { return false }
        let inside = host.utf8.dropFirst().dropLast()
        return inside.contains(UInt8(ascii: ":")) && inside.allSatisfy { "0123456789abcdef:.".utf8.contains($0) }
    }

    /// Both together, without the port that a scheme has anyway.
    func authority(defaultPort: Int) -> String {
        guard let port, port != defaultPort else { return host }
        return "\(host):\(port)"
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._".utf8.contains(byte)
        }
    }
}
