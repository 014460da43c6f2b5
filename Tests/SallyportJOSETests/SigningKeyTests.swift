import Foundation
import SallyportJOSE
import Testing

@Suite struct SigningKeyTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `what a new key signs is verified by its public key, also after a stay on the disk`(
        _ algorithm: SignatureAlgorithm
    ) async throws {
        let key = try SigningKey.generate(algorithm, keyID: "one")
        let stored = try JSONDecoder().decode(SigningKey.self, from: JSONEncoder().encode(key))
        #expect(stored == key)
        let text = try await JsonWebSignature.sign(["sub": "alice"], header: ["typ": "JWT"], with: stored)
        let signature = try JsonWebSignature(parsing: text)
        let verifying = key.publicJsonWebKey ?? key.privateJsonWebKey
        try await signature.verify(with: verifying, allowing: [algorithm])
        #expect(try signature.claims() == ["sub": "alice"])
        #expect(signature.header == ["typ": "JWT", "alg": .string(algorithm.rawValue), "kid": "one"])
        let other = try SigningKey.generate(algorithm, keyID: "one")
        await #expect(throws: JoseError(.signature, "The signature is not that of the key.")) {
            try await signature.verify(with: other.publicJsonWebKey ?? other.privateJsonWebKey, allowing: [algorithm])
        }
    }

    @Test(arguments: SignatureAlgorithm.allCases)
    func `printing and dumping show nothing private`(_ algorithm: SignatureAlgorithm) throws {
        let key = try SigningKey.generate(algorithm)
        var shown =
            "\(key) \(String(reflecting: key)) \(key.privateJsonWebKey) \(String(reflecting: key.privateJsonWebKey))"
        dump(key, to: &shown)
        dump(key.privateJsonWebKey, to: &shown)
        for name in ["d", "p", "q", "dp", "dq", "qi", "k"] {
            guard let secret = key.privateJsonWebKey.members[name]?.string else { continue }
            #expect(!shown.contains(secret))
            #expect(key.publicJsonWebKey?.members[name] == nil)
        }
    }
}
