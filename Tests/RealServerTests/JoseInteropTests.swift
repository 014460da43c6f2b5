import Foundation
import Sallyport
import SallyportJOSE
import SallyportStorage
import TestSupport
import Testing

/// Encrypted messages that joserfc and jwcrypto decrypt, and theirs that SallyportJOSE decrypts.
@Suite(
    .concurrencyLimited,
    .enabled(if: RealServer.jose != nil, "run .ci/real-servers jose to have joserfc and jwcrypto installed")
)
struct JoseInteropTests {
    private struct Answer: Decodable {
        let decrypted: String?
        let encrypted: String?
        let error: String?
    }

    private static let algorithms: [KeyManagementAlgorithm] = [
        .rsaOaep, .rsaOaep256, .ecdhEs, .ecdhEsA128kw, .ecdhEsA192kw, .ecdhEsA256kw, .a128kw, .a192kw, .a256kw, .direct,
    ]
    private static let curves: [KeyAgreementCurve] = [.p256, .p384, .p521, .x25519]

    @Test(arguments: ["joserfc", "jwcrypto"])
    func `Each algorithm works in both directions`(library: String) async throws {
        var cases: [[String: JsonValue]] = []
        var keys: [(key: JsonWebKey, algorithm: KeyManagementAlgorithm, encryption: ContentEncryption)] = []
        for algorithm in Self.algorithms {
            let isAgreement = algorithm.rawValue.hasPrefix("ECDH-ES")
            for curve in isAgreement ? Self.curves : [.p256] {
                for encryption in ContentEncryption.allCases {
                    let key = try JsonWebKey.generate(algorithm, curve: curve, encryption: encryption)
                    keys.append((key, algorithm, encryption))
                    let message = try JsonWebEncryption.encrypt(
                        Data("from Sallyport: ü".utf8),
                        to: key,
                        algorithm: algorithm,
                        encryption: encryption
                    )
                    // The libraries differ in the operations that they allow for a key with these members.
                    let members = key.members.filter { !["alg", "use", "kid"].contains($0.key) }
                    cases.append([
                        "library": .string(library), "alg": .string(algorithm.rawValue),
                        "enc": .string(encryption.rawValue),
                        "key": .object(members), "message": .string(message), "content": "from Python: ü",
                    ])
                }
            }
        }
        let answers = try await answers(to: cases)
        #expect(answers.count == cases.count)
        for (answer, expected) in zip(answers, keys) {
            let name = "\(library), \(expected.algorithm.rawValue), \(expected.encryption.rawValue), \(expected.key)"
            #expect(answer.error == nil, "\(name)")
            #expect(answer.decrypted == "from Sallyport: ü", "\(name)")
            guard let encrypted = answer.encrypted else { continue }
            let content = try JsonWebEncryption(parsing: encrypted).decrypt(with: expected.key)
            #expect(String(decoding: content, as: UTF8.self) == "from Python: ü", "\(name)")
        }
    }

    @Test(arguments: ["joserfc", "jwcrypto"])
    func `A changed message is refused by both libraries`(library: String) async throws {
        let key = try JsonWebKey.generate(.ecdhEs, curve: .x25519)
        let message = try JsonWebEncryption.encrypt(Data("content".utf8), to: key, algorithm: .ecdhEs)
        let members = key.members.filter { !["alg", "use", "kid"].contains($0.key) }
        var parts = message.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        parts[3] = Base64Url.encode(Data("changed".utf8))
        let answers = try await answers(to: [
            [
                "library": .string(library), "alg": "ECDH-ES", "enc": "A256GCM", "key": .object(members),
                "message": .string(parts.joined(separator: ".")), "content": "",
            ]
        ])
        #expect(answers.first?.error != nil)
        #expect(answers.first?.decrypted == nil)
    }

    private func answers(to cases: [[String: JsonValue]]) async throws -> [Answer] {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "cases.json")
            try JSONEncoder.ordered.encode(["cases": cases]).write(to: file)
            return try await PythonProgram(interpreter: RealServer.jose, script: RealServer.josePeer).run([file.path])
        }
    }
}
