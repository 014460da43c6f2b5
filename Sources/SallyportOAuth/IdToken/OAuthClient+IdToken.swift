import Foundation
import Sallyport
import SallyportJOSE

/// The values that an id_token must match.
struct IdTokenExpectations: Sendable {
    /// The nonce of the request; `nil` if there was none.
    var nonce: String?
    /// The authorization code that the id_token was issued for.
    var code: String?
    /// The required subject.
    var subject: String?
    /// The required issuer; `nil` for the issuer of the server or of any of its tenants.
    var issuer: String?
    /// The maximum time since the user signed in, in seconds.
    var maxAge: Int?
    /// A Boolean value that indicates whether to omit the id_token, instead of throwing an error, if it cannot be validated
    /// because the server's keys cannot be read or a clock is wrong.
    var isOptional = false
}

extension OAuthClient {
    /// Validates an id_token with the server's keys, which are read again if it may be signed with a newer one.
    func validate(_ idToken: String, accessToken: String, _ expected: IdTokenExpectations) async throws {
        let algorithms = try await idTokenAlgorithms()
        let validator = IdTokenValidator(
            issuer: expected.issuer ?? issuer,
            clientID: clientID,
            algorithms: algorithms,
            clientSecret: configuration.authentication.secret.map { Data($0.utf8) },
            decryption: configuration.decryption,
            allowedClockSkew: configuration.allowedClockSkew,
            issuerTemplate: expected.issuer == nil ? configuration.issuerTemplate : nil,
            now: clock.date
        )
        let validate = { (keys: JsonWebKeySet) async throws(IdTokenError) in
            _ = try await validator.validate(
                idToken,
                keys: keys,
                nonce: expected.nonce,
                accessToken: accessToken,
                code: expected.code,
                maximumAge: expected.maxAge.map { .seconds($0) },
                subject: expected.subject
            )
        }
        try await server.convertingErrors(of: "an id_token of") {
            guard algorithms.contains(where: { !$0.isSymmetric }) else { return try await validate(JsonWebKeySet([])) }
            do {
                try await validate(server.keys())
            } catch let error as IdTokenError {
                guard error.mayBeResolvedByNewKeys else { throw error }
                try await validate(server.newKeys())
            }
        }
    }

    /// Decrypts a token if it is encrypted, and returns the signed token.
    func decrypted(_ token: String) throws -> String {
        guard token.split(separator: ".", omittingEmptySubsequences: false).count == 5 else { return token }
        do {
            guard let decryption = configuration.decryption else { throw IdTokenError.encrypted }
            return try decryption.decrypt(token)
        } catch {
            throw server.refusal(of: "an encrypted token of", error)
        }
    }

    /// Returns the subject of an id_token, which was validated when it was received.
    package func subject(of idToken: String) throws -> String? { try claims(of: idToken)["sub"]?.string }

    /// Returns the claims of an id_token, which was validated when it was received.
    private func claims(of idToken: String) throws -> [String: JsonValue] {
        do {
            return try JsonWebSignature(parsing: decrypted(idToken)).claims()
        } catch let error as JoseError {
            throw server.refusal(of: "an id_token of", error)
        }
    }

    /// Returns the values that the id_token of a refresh must match, so that it is about the same user of the same tenant (OpenID
    /// Connect Core, section 12.2).
    func expectations(after idToken: String?) throws -> IdTokenExpectations {
        let claims = try idToken.map(claims(of:)) ?? [:]
        return IdTokenExpectations(
            subject: claims["sub"]?.string,
            issuer: configuration.issuerTemplate == nil ? nil : claims["iss"]?.string,
            isOptional: true
        )
    }

    /// Returns the allowed signature algorithms: from the configuration, or else the asymmetric algorithms in the server's
    /// metadata, or else RS256.
    func idTokenAlgorithms() async throws -> Set<SignatureAlgorithm> {
        if let configured = configuration.idTokenAlgorithms { return configured }
        let names = try await server.metadata().idTokenSigningAlgorithms ?? []
        let supported = Set(names.compactMap(SignatureAlgorithm.init)).filter { !$0.isSymmetric }
        return supported.isEmpty ? [.rs256] : supported
    }
}

extension IdTokenError {
    /// A Boolean value that indicates whether the id_token may be valid with keys that the server has published since.
    fileprivate var mayBeResolvedByNewKeys: Bool {
        switch self {
        case .unknownKey, .signature(nil): true
        default: false
        }
    }
}
