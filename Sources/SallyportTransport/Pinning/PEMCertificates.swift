import Foundation

/// The certificates in a text of PEM blocks (RFC 7468), in DER; other blocks and what stands around them are passed over.
package struct PEMCertificates: Sendable {
    /// Each certificate, in order.
    package let der: [[UInt8]]

    /// - Returns: `nil` if a block has no end or is not base64.
    package init?(_ text: String) {
        var der: [[UInt8]] = []
        var base64: Data?
        for line in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let line = line.withoutBlanks
            if line.elementsEqual("-----BEGIN CERTIFICATE-----".utf8) {
                guard base64 == nil else { return nil }
                base64 = Data()
            } else if line.elementsEqual("-----END CERTIFICATE-----".utf8), let block = base64 {
                guard let data = Data(base64Encoded: block) else { return nil }
                der.append([UInt8](data))
                base64 = nil
            } else {
                base64?.append(contentsOf: line)
            }
        }
        guard base64 == nil else { return nil }
        self.der = der
    }
}

extension Substring.UTF8View {
    fileprivate var withoutBlanks: Self {
        var line = drop { $0 <= 0x20 }
        while let last = line.last, last <= 0x20 { line.removeLast() }
        return line
    }
}
