import Foundation
import SallyportJOSE
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct MutatedKeysTests {
    /// One vector of each kind, because those with RSA keys take long.
    private static let few = SignatureVector.joserfc.filter { vector in
        ["HS512", "RS256", "ES256", "ES384", "EdDSA"].contains { vector.name.hasSuffix($0) }
    }

    private static let fewEncrypted = EncryptionVector.joserfc.filter { !$0.name.contains("RSA-OAEP-256") }

    /// Returns variants of a key, each with one invalid or changed member.
    private func mutations(of key: JsonWebKey) -> [JsonWebKey] {
        // These members are not read, but computed from the others.
        key.members.keys.filter { !["dp", "dq", "qi"].contains($0) }.sorted().flatMap { name -> [JsonWebKey] in
            let bytes = key.members[name]?.string.flatMap { Base64Url.decode($0) } ?? Data()
            var values: [JsonValue] = [nil, 1, [], [:], "", "?", "AA"]
            for changed in [
                Data(count: bytes.count), Data(repeating: 0xFF, count: bytes.count), Data(bytes.reversed()),
                bytes.dropLast(),
                Data(bytes.dropFirst()), Data([0]) + bytes, bytes + Data([1]), bytes + bytes, Data([1]), Data([2]),
                Data([3]),
            ] {
                values.append(.string(Base64Url.encode(changed)))
            }
            return values.map { JsonWebKey(members: key.members.merging([name: $0]) { $1 }) }
        }
    }

    @Test(arguments: few)
    func `A modified public key does not verify a signature`(_ vector: SignatureVector) async throws {
        let signature = try JsonWebSignature(parsing: vector.text)
        let algorithm = try #require(signature.algorithm)
        let whole = try vector.jsonWebKey
        let key = whole.keyType == "oct" ? whole : whole.publicKey
        for mutated in mutations(of: key) where mutated != key {
            do throws(JoseError) {
                try signature.verify(with: mutated, allowing: [algorithm])
                let sameNumbers = ["kty", "n", "e", "x", "y", "crv", "k"].allSatisfy { name in
                    let bytes = [key, mutated].map { $0.members[name]?.string.flatMap { Base64Url.decode($0) } }
                    return bytes[0]?.drop { $0 == 0 } == bytes[1]?.drop { $0 == 0 }
                }
                #expect(sameNumbers, "\(mutated.members)")
            } catch {
                #expect(reasons(for: mutated, insteadOf: key).contains(error.reason), "\(error) \(mutated.members)")
            }
        }
    }

    /// Returns the possible reasons for refusing a key one of whose members has been changed.
    private func reasons(for mutated: JsonWebKey, insteadOf key: JsonWebKey) -> [JoseError.Reason] {
        guard let name = key.members.keys.first(where: { key.members[$0] != mutated.members[$0] }),
            !["kty", "crv", "alg", "use", "key_ops", "kid"].contains(name)
        else { return [.key] }
        let lengths = [key, mutated].map { $0.members[name]?.string.flatMap { Base64Url.decode($0) }?.count ?? 0 }
        // The coordinates on a curve have a certain length.
        if lengths[1] == 0 || (key.members["crv"] != nil && lengths[0] != lengths[1]) { return [.malformed] }
        // The numbers may belong to another key.
        return [.key, .signature]
    }

    @Test(arguments: few)
    func `A modified private key is refused or signs without crashing`(_ vector: SignatureVector)
        async throws
    {
        let algorithm = try #require(JsonWebSignature(parsing: vector.text).algorithm)
        for mutated in mutations(of: try vector.jsonWebKey) {
            guard let key = try? SigningKey(mutated, algorithm: algorithm) else { continue }
            _ = try? JsonWebSignature.sign(["sub": "alice"], with: key)
        }
    }

    @Test(arguments: fewEncrypted)
    func `A modified private key does not decrypt to another plaintext`(_ vector: EncryptionVector) throws {
        let encrypted = try JsonWebEncryption(parsing: vector.text)
        for mutated in mutations(of: try vector.jsonWebKey) {
            guard let plaintext = try? encrypted.decrypt(with: mutated) else { continue }
            #expect(String(decoding: plaintext, as: UTF8.self) == vector.plaintext)
        }
    }

    @Test(arguments: fewEncrypted)
    func `A message with a part of another length is refused`(_ vector: EncryptionVector) throws {
        let key = try vector.jsonWebKey
        let parts = vector.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for index in 1..<5 {
            for length in [0, 1, 8, 12, 16, 17, 24, 40] {
                var changed = parts
                changed[index] = Base64Url.encode(Data(repeating: 0xA5, count: length))
                guard changed != parts else { continue }
                let encrypted = try JsonWebEncryption(parsing: changed.joined(separator: "."))
                #expect(throws: JoseError(.decryption, "The message cannot be decrypted with the key.")) {
                    try encrypted.decrypt(with: key)
                }
            }
        }
    }
}
