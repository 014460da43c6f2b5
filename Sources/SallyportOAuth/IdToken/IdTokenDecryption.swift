import SallyportJOSE

/// The keys and algorithms to decrypt a client's id_tokens, as registered at the server (`id_token_encrypted_response_alg` and
/// `…_enc`).
public struct IdTokenDecryption: Sendable {
    /// The private keys of the client.
    public var keys: [JsonWebKey]
    /// The allowed key management algorithms.
    public var algorithms: Set<KeyManagementAlgorithm>
    /// The allowed content encryption algorithms.
    public var encryptions: Set<ContentEncryption>
    /// A Boolean value that indicates whether unencrypted tokens are refused.
    public var isRequired: Bool

    /// Creates the settings.
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

    /// Decrypts a token, and returns the signed token that it contains.
    func decrypt(_ token: String) throws(IdTokenError) -> String {
        let encrypted: JsonWebEncryption
        do {
            encrypted = try JsonWebEncryption(parsing: token)
        } catch {
            throw .malformed(error)
        }
        var problem = JoseError(.key, "None of the client's keys has the identifier in the token's header (kid).")
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
