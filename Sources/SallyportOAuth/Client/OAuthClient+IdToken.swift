import Foundation
import Sallyport
import SallyportJOSE

/// What an id_token has to agree with.
struct IdTokenExpectations: Sendable {
    /// The nonce of the request; `nil` where there was none.
    var nonce: String?
    /// The code that it came for.
    var code: String?
    /// The person that it has to be about.
    var subject: String?
    /// How long ago the person may have signed in, in seconds.
    var maxAge: Int?
    /// Whether the tokens have to be kept though this cannot be known: the keys cannot be read, or a clock is wrong.
    var isDispensable = false
}

extension OAuthClient {
    /// Validates an id_token in full, with the server's keys as they are now.
    func validate(_ idToken: String, accessToken: String, _ expected: IdTokenExpectations) async throws {
        let algorithms = try await idTokenAlgorithms()
        let validator = IdTokenValidator(
            issuer: issuer,
            clientID: clientID,
            algorithms: algorithms,
            clientSecret: configuration.authentication.secret.map { Data($0.utf8) },
            decryption: configuration.decryption,
            now: clock.now
        )
        let validate = { (keys: JsonWebKeySet) async throws(IdTokenError) in
            _ = try await validator.validate(
                idToken,
                keys: keys,
                nonce: expected.nonce,
                accessToken: accessToken,
                code: expected.code,
                maximumAge: expected.maxAge.map(TimeInterval.init),
                subject: expected.subject
            )
        }
        try await refusing("an id_token of") {
            guard algorithms.contains(where: { !$0.isSymmetric }) else { return try await validate(JsonWebKeySet([])) }
            do {
                try await validate(server.keys())
            } catch let error as IdTokenError {
                guard error.mayBeOfNewKeys else { throw error }
                try await validate(server.newKeys())
            }
        }
    }

    /// Whether an id_token holds; `false` if that cannot be known for now and need not be.
    func holds(_ idToken: String, accessToken: String, _ expected: IdTokenExpectations) async throws -> Bool {
        do {
            try await validate(idToken, accessToken: accessToken, expected)
            return true
        } catch {
            let problem = (error as? OAuthError)?.failure.underlying as? IdTokenError
            guard expected.isDispensable, problem?.isOfTime ?? true else { throw error }
            return false
        }
    }

    /// A token as it was signed: an encrypted one is decrypted first.
    func decrypted(_ token: String) throws -> String {
        guard token.split(separator: ".", omittingEmptySubsequences: false).count == 5 else { return token }
        do {
            guard let decryption = configuration.decryption else { throw IdTokenError.encrypted }
            return try decryption.decrypt(token)
        } catch {
            throw refused("an encrypted token of", error)
        }
    }

    /// The person that an id_token is about, which was validated when it came.
    func subject(of idToken: String) throws -> String? {
        do {
            return try JsonWebSignature(parsing: decrypted(idToken)).claims()["sub"]?.string
        } catch let error as JoseError {
            throw refused("an id_token of", error)
        }
    }

    /// How id_tokens may be signed: as was agreed, else as the server says, without a symmetric key.
    func idTokenAlgorithms() async throws -> Set<SignatureAlgorithm> {
        if let agreed = configuration.idTokenAlgorithms { return agreed }
        let named = try await server.metadata().idTokenSigningAlgorithms ?? []
        let known = Set(named.compactMap(SignatureAlgorithm.init)).filter { !$0.isSymmetric }
        return known.isEmpty ? [.rs256] : known
    }

    /// Runs a check whose refusals become errors of this client.
    func refusing<Result>(_ what: String, _ check: () async throws -> Result) async throws -> Result {
        do {
            return try await check()
        } catch let error as JoseError {
            throw refused(what, error)
        } catch let error as IdTokenError {
            throw refused(what, error)
        }
    }

    func refused(_ what: String, _ error: any Error) -> OAuthError {
        OAuthError(
            failure: NetworkFailure(
                "\(what) \(issuer) is refused: \(ServerWords.shown("\(error)"))",
                underlying: error
            )
        )
    }
}

extension IdTokenError {
    /// Whether it might hold with keys that the server has published since.
    fileprivate var mayBeOfNewKeys: Bool {
        switch self {
        case .unknownKey, .signature(nil): true
        default: false
        }
    }
}
