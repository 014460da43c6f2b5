import Crypto
import Foundation
import TestSupport
import Testing

@testable import SallyportJOSE

@Suite(.concurrencyLimited) struct KeyAgreementTests {
    @Test func `the key derived is that of RFC 7518, appendix C`() throws {
        let header: [String: JsonValue] = [
            "alg": "ECDH-ES", "enc": "A128GCM", "apu": "QWxpY2U", "apv": "Qm9i",
            "epk": [
                "kty": "EC", "crv": "P-256",
                "x": "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0", "y": "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps",
            ],
        ]
        let bob = JsonWebKey(members: [
            "kty": "EC", "crv": "P-256",
            "x": "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ", "y": "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
            "d": "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw",
        ])
        let agreement = KeyAgreement(algorithm: .ecdhEs, encryption: .a128gcm, header: header)
        let key = try agreement.contentKey(unwrapping: Data(), with: bob)
        #expect(key.withUnsafeBytes { Base64Url.encode(Data($0)) } == "VqqN6vgjbSBcIijNcacQGg")
    }

    @Test func `the secret shared is that of RFC 8037, appendix A.6`() throws {
        let ephemeral = JsonWebKey(members: [
            "kty": "OKP", "crv": "X25519", "x": "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo",
            "d": "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo",
        ])
        let bob = JsonWebKey(members: [
            "kty": "OKP", "crv": "X25519", "x": "3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08",
        ])
        let secret = try ephemeral.sharedSecret(with: bob).withUnsafeBytes { Data($0) }
        let expected = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
        #expect(secret.map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test func `a point of small order is refused`() {
        let key = KeyNumbers.curve(.x25519, Data(count: 32), Data())
        let mine = JsonWebKey(members: [
            "kty": "OKP", "crv": "X25519", "x": "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo",
            "d": "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo",
        ])
        expectError(\JoseError.reason, .key) { try mine.sharedSecret(with: JsonWebKey(members: key)) }
    }
}
