import Foundation

/// The fields of a certificate (RFC 5280, section 4.1) that can be read without support for its algorithms.
package struct CertificateFields: Sendable {
    /// The issuer's name, in DER.
    package let issuer: ArraySlice<UInt8>
    /// The subject's name, in DER.
    package let subject: ArraySlice<UInt8>
    /// The `SubjectPublicKeyInfo` in DER, to which pins apply.
    package let publicKeyInfo: ArraySlice<UInt8>

    /// The maximum size of a certificate, in bytes.
    package static let maximumSize = 65_536

    /// Parses a certificate in DER. Returns `nil` if the bytes are not a certificate.
    package init?(der: [UInt8]) {
        guard der.count <= Self.maximumSize else { return nil }
        var outer = DERReader(der[...])
        guard let certificate = outer.next(.sequence), outer.isAtEnd else { return nil }
        var signed = certificate.contentReader
        guard var fields = signed.next(.sequence)?.contentReader else { return nil }
        _ = fields.skip(.version)
        guard fields.skip(.integer), fields.skip(.sequence),
            let issuer = fields.next(.sequence), fields.skip(.sequence),
            let subject = fields.next(.sequence),
            let key = fields.next(.sequence)
        else { return nil }
        self.issuer = issuer.bytes
        self.subject = subject.bytes
        publicKeyInfo = key.bytes
    }

    /// The size of an RSA key in bits (RFC 8017, appendix A.1.1); `nil` for other keys.
    package var rsaKeyBits: Int? {
        var outer = DERReader(publicKeyInfo)
        guard var info = outer.next(.sequence)?.contentReader, var algorithm = info.next(.sequence)?.contentReader,
            algorithm.next(.objectIdentifier)?.content.elementsEqual(Self.rsaEncryption) == true,
            let key = info.next(.bitString)?.content.dropFirst()
        else { return nil }
        var parts = DERReader(key)
        guard var numbers = parts.next(.sequence)?.contentReader, let modulus = numbers.next(.integer)?.content else {
            return nil
        }
        let digits = modulus.drop { $0 == 0 }
        return digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    }

    /// 1.2.840.113549.1.1.1
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
}

/// The certificates in a PEM text (RFC 7468). Other blocks and surrounding text are ignored.
package struct PEMCertificates: Sendable {
    /// The certificates in DER, in order.
    package let der: [[UInt8]]

    /// Parses a text. Returns `nil` if a block has no end or is not base64.
    package init?(_ text: String) {
        var der: [[UInt8]] = []
        var base64: Data?
        for line in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let line = line.trimmed
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
    fileprivate var trimmed: Self {
        var line = drop { $0 <= 0x20 }
        while let last = line.last, last <= 0x20 { line.removeLast() }
        return line
    }
}
