import Foundation
import SallyportJOSE
import Testing

@Suite struct JsonWebEncryptionTests {
    private static let cannotDecrypt = JoseError(.decryption, "The text cannot be decrypted with the key.")

    @Test(arguments: KeyManagementAlgorithm.allCases, ContentEncryption.allCases)
    func `what is encrypted to a key is decrypted with it, and with no other`(
        _ algorithm: KeyManagementAlgorithm,
        _ encryption: ContentEncryption
    ) throws {
        let key = try JsonWebKey.generate(algorithm, encryption: encryption)
        let recipient = key.keyType == "oct" ? key : key.publicKey
        let text = try JsonWebEncryption.encrypt(
            Data("hello".utf8),
            to: recipient,
            algorithm: algorithm,
            encryption: encryption,
            header: ["typ": "x"]
        )
        let encrypted = try JsonWebEncryption(parsing: text)
        #expect(try encrypted.decrypt(with: key) == Data("hello".utf8))
        #expect(encrypted.header["typ"] == "x")
        let other = try JsonWebKey.generate(algorithm, encryption: encryption)
        #expect(throws: Self.cannotDecrypt) { try encrypted.decrypt(with: other) }
    }
}
