/// The parts of a certificate (RFC 5280, section 4.1) that can be told without knowing its algorithms.
package struct CertificateOutline: Sendable {
    /// The issuer's name, in DER.
    package let issuer: ArraySlice<UInt8>
    /// The subject's name, in DER.
    package let subject: ArraySlice<UInt8>
    /// The public key with its algorithm, in DER: what pins are made of.
    package let publicKeyInfo: ArraySlice<UInt8>

    /// The most bytes that a certificate may have.
    package static let maximumSize = 65_536

    /// - Parameter der: The whole certificate.
    /// - Returns: `nil` if that is not what the bytes are.
    package init?(der: [UInt8]) {
        guard der.count <= Self.maximumSize else { return nil }
        var outer = DERReader(der[...])
        guard let certificate = outer.next(.sequence), outer.isAtEnd else { return nil }
        var signed = certificate.inside
        guard var fields = signed.next(.sequence)?.inside else { return nil }
        _ = fields.pass(.version)
        guard fields.pass(.integer), fields.pass(.sequence),
            let issuer = fields.next(.sequence), fields.pass(.sequence),
            let subject = fields.next(.sequence),
            let key = fields.next(.sequence)
        else { return nil }
        self.issuer = issuer.whole
        self.subject = subject.whole
        publicKeyInfo = key.whole
    }

    /// The size of an RSA key in bits (RFC 8017, appendix A.1.1); `nil` for other keys.
    package var rsaKeyBits: Int? {
        var outer = DERReader(publicKeyInfo)
        guard var info = outer.next(.sequence)?.inside, var algorithm = info.next(.sequence)?.inside,
            algorithm.next(.objectIdentifier)?.content.elementsEqual(Self.rsaEncryption) == true,
            let key = info.next(.bitString)?.content.dropFirst()
        else { return nil }
        var parts = DERReader(key)
        guard var numbers = parts.next(.sequence)?.inside, let modulus = numbers.next(.integer)?.content else {
            return nil
        }
        let digits = modulus.drop { $0 == 0 }
        return digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    }

    /// 1.2.840.113549.1.1.1
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
}
