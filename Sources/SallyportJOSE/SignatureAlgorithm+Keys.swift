import JWTKit

extension SignatureAlgorithm {
    /// The kind of keys that it works with.
    var keyType: KeyType {
        switch self {
        case .hs256, .hs384, .hs512: .symmetric
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256, .es384, .es512: .ellipticCurve
        case .edDSA: .octetPair
        }
    }

    /// The curve that its keys are on.
    var curve: EllipticCurve? {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .edDSA: .ed25519
        default: nil
        }
    }

    /// The hash that it works with; SHA-512 for Ed25519.
    var digest: DigestAlgorithm {
        switch self {
        case .hs256, .rs256, .ps256, .es256: .sha256
        case .hs384, .rs384, .ps384, .es384: .sha384
        case .hs512, .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }

    /// How many bytes that hash has.
    var digestLength: Int {
        switch digest {
        case .sha256: 32
        case .sha384: 48
        default: 64
        }
    }

    /// Whether it is one of RSASSA-PSS.
    var isProbabilistic: Bool { [.ps256, .ps384, .ps512].contains(self) }
}
