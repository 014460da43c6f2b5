import Foundation
import SallyportTransport

extension ProofOfPossession {
    /// A URL as proofs compare it (RFC 9449, section 4.3): no query, no fragment, and written in the one way that RFC 3986, sections
    /// 6.2.2 and 6.2.3, make of all ways to write it.
    static func target(of url: String) -> String? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        let defaultPort = ["https": 443, "http": 80][scheme]
        let port = parts.port.flatMap { $0 == defaultPort ? nil : ":\($0)" } ?? ""
        let path = parts.percentEncodedPath
        return scheme + "://" + host + port + (path.isEmpty ? "/" : normalized(path))
    }

    /// Escapes in capitals, and none for what needs none.
    private static func normalized(_ path: String) -> String {
        var bytes: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            if escaped.isUnreserved {
                bytes.append(escaped)
            } else {
                bytes.append(byte)
                bytes.append(contentsOf: String(decoding: rest.prefix(2), as: UTF8.self).uppercased().utf8)
            }
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
