import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct JsonWebEncryptionTests {
    private static let cannotDecrypt = JoseError(.decryption, "The message cannot be decrypted with the key.")
    private static let rsa: [KeyManagementAlgorithm] = [.rsaOaep, .rsaOaep256]

    @Test(arguments: KeyManagementAlgorithm.allCases.filter { !rsa.contains($0) }, ContentEncryption.allCases)
    func `A message is decrypted only with its recipient's key`(
        _ algorithm: KeyManagementAlgorithm,
        _ encryption: ContentEncryption
    ) throws {
        try roundTrip(algorithm, encryption)
    }

    @Test(arguments: rsa)
    func `A message is decrypted only with its recipient's RSA key`(
        _ algorithm: KeyManagementAlgorithm
    ) throws {
        try roundTrip(algorithm, .a256gcm)
    }

    private func roundTrip(_ algorithm: KeyManagementAlgorithm, _ encryption: ContentEncryption) throws {
        let key = try JsonWebKey.generate(algorithm, encryption: encryption)
        let recipient = key.keyType == "oct" ? key : key.publicKey
        let plaintext = Data("hello".utf8)
        let text = try JsonWebEncryption.encrypt(
            plaintext,
            to: recipient,
            algorithm: algorithm,
            encryption: encryption,
            header: ["typ": "x", "alg": "none"]
        )
        let encrypted = try JsonWebEncryption(parsing: text)
        #expect(try encrypted.decrypt(with: key, allowing: [algorithm], encryptions: [encryption]) == plaintext)
        #expect(encrypted.header["typ"] == "x")
        #expect(encrypted.header["epk"]?["d"] == nil)
        let other = try JsonWebKey.generate(algorithm, encryption: encryption)
        #expect(throws: Self.cannotDecrypt) { try encrypted.decrypt(with: other) }
    }

    @Test(arguments: EncryptionVector.rfc + EncryptionVector.joserfc)
    func `A message of another implementation is decrypted`(_ vector: EncryptionVector) throws {
        let encrypted = try JsonWebEncryption(parsing: vector.text)
        #expect(try String(decoding: encrypted.decrypt(with: vector.jsonWebKey), as: UTF8.self) == vector.plaintext)
    }

    @Test(arguments: EncryptionVector.rfc + EncryptionVector.joserfc)
    func `A change of any part of a message is refused with the same error`(_ vector: EncryptionVector) throws {
        let key = try vector.jsonWebKey
        let parts = vector.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for index in 1..<5 {
            var changed = parts
            var bytes = Data([UInt8](try #require(Base64Url.decode(parts[index]))))
            if bytes.isEmpty { bytes.append(1) } else { bytes[0] ^= 1 }
            changed[index] = Base64Url.encode(bytes)
            let encrypted = try JsonWebEncryption(parsing: changed.joined(separator: "."))
            #expect(throws: Self.cannotDecrypt) { try encrypted.decrypt(with: key) }
            changed[index] = Base64Url.encode(bytes.dropLast())
            let shortened = try JsonWebEncryption(parsing: changed.joined(separator: "."))
            guard changed[index] != parts[index] else { continue }
            #expect(throws: Self.cannotDecrypt) { try shortened.decrypt(with: key) }
        }
        var header = try #require(Base64Url.decode(parts[0]))
        header.insert(0x20, at: 1)
        let spaced = ([Base64Url.encode(header)] + parts.dropFirst()).joined(separator: ".")
        #expect(throws: Self.cannotDecrypt) { try JsonWebEncryption(parsing: spaced).decrypt(with: key) }
    }

    @Test(
        arguments: [
            (["zip": "DEF"], JoseError.Reason.critical),
            (["crit": ["exp"]], .critical),
            (["alg": "RSA1_5"], .algorithm),
            (["alg": "none"], .algorithm),
            (["alg": "A128KW"], .algorithm),
            (["enc": "A128CBC"], .algorithm),
            (["enc": "A128GCM"], .algorithm),
            (["kid": "another"], .key),
        ] as [([String: JsonValue], JoseError.Reason)]
    )
    func `A header with an extension, another algorithm or another key is refused`(
        _ members: [String: JsonValue],
        _ expected: JoseError.Reason
    ) throws {
        let key = JsonWebKey(members: ["kty": "oct", "k": .string(Base64Url.encode(Data(count: 32))), "kid": "one"])
        let header = ["alg": "dir", "enc": "A256GCM"].merging(members) { $1 }
        let text = try Base64Url.encode(JSONEncoder().encode(header)) + "..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA"
        #expect {
            try JsonWebEncryption(parsing: text).decrypt(with: key, allowing: [.direct], encryptions: [.a256gcm])
        } throws: { ($0 as? JoseError)?.reason == expected }
    }

    @Test(
        arguments: [
            ["use": "sig"], ["key_ops": ["sign"]], ["alg": "RSA-OAEP"], ["kty": "oct"], ["crv": "P-384"],
            ["crv": "Ed25519"],
        ] as [[String: JsonValue]]
    )
    func `A key for another use, operation, algorithm or curve does not decrypt`(_ members: [String: JsonValue]) throws
    {
        let key = try JsonWebKey.generate(.ecdhEs)
        let text = try JsonWebEncryption.encrypt(Data(), to: key.publicKey, algorithm: .ecdhEs)
        #expect(try JsonWebEncryption(parsing: text).decrypt(with: key) == Data())
        let changed = JsonWebKey(members: key.members.merging(members) { $1 })
        expectError(\JoseError.reason, .key) { try JsonWebEncryption(parsing: text).decrypt(with: changed) }
    }

    @Test(
        arguments: [
            (["x": "AAAA"], .malformed), (["y": nil], .malformed), (["crv": "P-521"], .key), (["kty": "RSA"], .key),
        ] as [([String: JsonValue], JoseError.Reason)]
    )
    func `An invalid ephemeral key is refused`(
        _ members: [String: JsonValue],
        _ reason: JoseError.Reason
    ) throws {
        let key = try JsonWebKey.generate(.ecdhEs)
        let text = try JsonWebEncryption.encrypt(Data(), to: key.publicKey, algorithm: .ecdhEs)
        var header = try JsonWebEncryption(parsing: text).header
        header["epk"] = .object(try #require(header["epk"]?.object).merging(members) { $1 })
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let changed = try ([Base64Url.encode(JSONEncoder().encode(header))] + parts).joined(separator: ".")
        expectError(\JoseError.reason, reason) { try JsonWebEncryption(parsing: changed).decrypt(with: key) }
    }
}
