import SallyportJOSE

/// How a client's id_tokens are encrypted, as it is registered at the server (`id_token_encrypted_response_alg` and `…_enc`).
public struct IdTokenDecryption: Sendable {
    /// The private keys of the client.
    public var keys: [JsonWebKey]
    /// How the key of the content may be agreed on.
    public var algorithms: Set<KeyManagementAlgorithm>
    /// How the content may be encrypted.
    public var encryptions: Set<ContentEncryption>
    /// Whether a token that is only signed is refused.
    public var isRequired: Bool

    /// Describes the agreement.
    public init(
        keys: [JsonWebKey],
        algorithms: Set<KeyManagementAlgorithm> = Set(KeyManagementAlgorithm.allCases),
        encryptions: Set<ContentEncryption> = Set(ContentEncryption.allCases),
        isRequired: Bool = true
    ) {
        self.keys = keys
        self.algorithms = algorithms
        self.encryptions = encryptions
        self.isRequired = isRequired
    }

    /// The signed token in an encrypted one.
    func decrypt(_ token: String) throws(IdTokenError) -> String {
        let encrypted: JsonWebEncryption
        do {
            encrypted = try JsonWebEncryption(parsing: token)
        } catch {
            throw .malformed(error)
        }
        var problem = JoseError(.key, "None of the client's keys has the name that the token states (kid).")
        for key in keys where encrypted.keyID == nil || key.keyID == nil || key.keyID == encrypted.keyID {
            do throws(JoseError) {
                let bytes = try encrypted.decrypt(with: key, allowing: algorithms, encryptions: encryptions)
                return String(decoding: bytes, as: UTF8.self)
            } catch {
                problem = error
            }
        }
        throw .decryption(problem)
    }
}
