import Foundation
import SallyportJOSE

/// Validates id_tokens (OpenID Connect Core, sections 3.1.3.7 and 12.2).
///
/// ```swift
/// let validator = IdTokenValidator(issuer: "https://id.example.com", clientID: "app", algorithms: [.es256])
/// let claims = try await validator.validate(idToken, keys: keys, nonce: nonce, accessToken: accessToken)
/// print("Hello, \(claims.subject)")
/// ```
public struct IdTokenValidator: Sendable {
    /// The required issuer, which is compared character by character.
    public let issuer: String
    /// The issuer of a server with several tenants, which replaces ``issuer``; see ``OAuthClientConfiguration/issuerTemplate``.
    public let issuerTemplate: String?
    /// The identifier of the client, which must be in the audience of tokens.
    public let clientID: String
    /// The allowed signature algorithms, according to the issuer's metadata and the client's registration.
    public let algorithms: Set<SignatureAlgorithm>
    /// The client secret for HMAC algorithms. Without a secret, these are refused even if ``algorithms`` contains them.
    public let clientSecret: Data?
    /// The keys and algorithms to decrypt tokens, if they are encrypted.
    public let decryption: IdTokenDecryption?
    /// The maximum difference between the clocks of the server and this computer.
    public let allowedClockSkew: Duration
    private let now: @Sendable () -> Date

    /// Creates a validator for the id_tokens of a client.
    public init(
        issuer: String,
        clientID: String,
        algorithms: Set<SignatureAlgorithm> = [.rs256],
        clientSecret: Data? = nil,
        decryption: IdTokenDecryption? = nil,
        allowedClockSkew: Duration = .seconds(60),
        issuerTemplate: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.algorithms = algorithms
        self.clientSecret = clientSecret
        self.decryption = decryption
        self.allowedClockSkew = allowedClockSkew
        self.issuerTemplate = issuerTemplate
        self.now = now
    }

    /// Validates an id_token.
    ///
    /// - Parameters:
    ///   - idToken: The token as it was received.
    ///   - keys: The keys of the server.
    ///   - nonce: The nonce of the authorization request, if it had one.
    ///   - accessToken: The access token of the same response, if any.
    ///   - code: The authorization code that the token was issued for, if any.
    ///   - maximumAge: The maximum time since the user signed in, if it was requested (`max_age`).
    ///   - subject: The required subject, if it is known, for example from the id_token before a refresh.
    /// - Returns: The claims of the token.
    /// - Throws: ``IdTokenError/unknownKey(_:)`` if the keys may have changed and should be fetched again.
    public func validate(
        _ idToken: String,
        keys: JsonWebKeySet,
        nonce: String? = nil,
        accessToken: String? = nil,
        code: String? = nil,
        maximumAge: Duration? = nil,
        subject: String? = nil
    ) async throws(IdTokenError) -> IdTokenClaims {
        let signature = try signature(of: decrypted(idToken))
        let algorithm = try algorithm(of: signature)
        try await verify(signature, by: algorithm, keys: keys)
        let members: [String: JsonValue]
        do {
            members = try signature.claims()
        } catch {
            throw .malformed(error)
        }
        let claims = try IdTokenClaims(members)
        try checkParties(of: claims, subject: subject)
        try checkTimes(of: claims, maximumAge: maximumAge)
        if let nonce {
            guard let actual = claims["nonce"]?.string else { throw .nonce(isMissing: true) }
            guard actual == nonce else { throw .nonce(isMissing: false) }
        }
        try checkHash("at_hash", of: accessToken, in: claims, by: algorithm, else: .accessTokenHash)
        try checkHash("c_hash", of: code, in: claims, by: algorithm, else: .codeHash)
        return claims
    }

    // MARK: Parsing

    private func decrypted(_ idToken: String) throws(IdTokenError) -> String {
        let isEncrypted = idToken.utf8.lazy.filter { $0 == UInt8(ascii: ".") }.count == 4
        switch (isEncrypted, decryption) {
        case (true, nil): throw .encrypted
        case (true, let decryption?): return try decryption.decrypt(idToken)
        case (false, let decryption?) where decryption.isRequired: throw .notEncrypted
        case (false, _): return idToken
        }
    }

    private func signature(of text: String) throws(IdTokenError) -> JsonWebSignature {
        let signature: JsonWebSignature
        do {
            signature = try JsonWebSignature(parsing: text)
        } catch {
            throw .malformed(error)
        }
        let otherTypes = ["at+jwt", "dpop+jwt", "logout+jwt", "token-introspection+jwt", "oauth-authz-req+jwt"]
        if let type = signature.header["typ"]?.string?.lowercased(),
            otherTypes.contains(type.replacing("application/", with: ""))
        {
            throw .type(type)
        }
        return signature
    }

    private func algorithm(of signature: JsonWebSignature) throws(IdTokenError) -> SignatureAlgorithm {
        guard let name = signature.header["alg"]?.string, name.lowercased() != "none" else { throw .unsigned }
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
            throw .algorithm(expected: algorithms, actual: name)
        }
        guard !algorithm.isSymmetric || algorithms.contains(algorithm) && clientSecret != nil else {
            throw .symmetricAlgorithm(name)
        }
        guard algorithms.contains(algorithm) else { throw .algorithm(expected: algorithms, actual: name) }
        return algorithm
    }

    // MARK: Signature

    private func verify(
        _ signature: JsonWebSignature,
        by algorithm: SignatureAlgorithm,
        keys: JsonWebKeySet
    ) async throws(IdTokenError) {
        var problem = IdTokenError.unknownKey(signature.keyID)
        for key in try self.keys(of: signature, algorithm, keys: keys).prefix(Self.maximumKeys) {
            do throws(JoseError) {
                return try signature.verify(with: key, allowing: [algorithm])
            } catch {
                switch error.reason {
                case .critical: throw .critical(error)
                case .signature: problem = .signature(signature.keyID)
                default: if case .signature = problem {} else { problem = .key(error) }
                }
            }
        }
        throw problem
    }

    /// The maximum number of keys with the same identifier that are tried.
    private static let maximumKeys = 16

    /// Returns the keys that the token may be signed with. Several keys may have its identifier, which RFC 7517, section 4.5 only
    /// advises against.
    private func keys(
        of signature: JsonWebSignature,
        _ algorithm: SignatureAlgorithm,
        keys: JsonWebKeySet
    ) throws(IdTokenError) -> [JsonWebKey] {
        if algorithm.isSymmetric {
            return [JsonWebKey(members: ["kty": "oct", "k": .string(Base64Url.encode(clientSecret ?? Data()))])]
        }
        guard let keyID = signature.header["kid"] else {
            let suitable = keys.keys.filter { $0.canVerify(algorithm) && $0.isOfIssuer(of: signature) }
            if suitable.isEmpty { throw .unknownKey(nil) }
            guard suitable.count == 1 else { throw .ambiguousKey }
            return suitable
        }
        guard let name = keyID.string else {
            throw .malformed(JoseError(.malformed, "The key identifier is not a string (kid)."))
        }
        let named = keys.keys.filter { $0.keyID == name }
        guard !named.isEmpty else { throw .unknownKey(name) }
        let suitable = named.filter { $0.canVerify(algorithm) && $0.isOfIssuer(of: signature) }
        if suitable.isEmpty { throw named.allSatisfy { $0.use == "enc" } ? .encryptionKey(name) : .otherKey(name) }
        return suitable
    }

    // MARK: Claims

    private func checkParties(of claims: IdTokenClaims, subject: String?) throws(IdTokenError) {
        let issuer = try expectedIssuer(claims)
        guard claims.issuer == issuer else { throw .issuer(expected: issuer, actual: claims.issuer) }
        guard claims.audience.contains(clientID) else {
            throw .audience(expected: clientID, actual: claims.audience)
        }
        let party = claims["azp"]
        if party != nil || Set(claims.audience).count > 1 {
            guard party?.string == clientID else { throw .authorizedParty(expected: clientID, actual: party?.string) }
        }
        if let subject, claims.subject != subject { throw .subject(expected: subject, actual: claims.subject) }
    }

    /// Returns the expected issuer of a token. If there is a template, it is the issuer of the token's tenant (`tid`).
    private func expectedIssuer(_ claims: IdTokenClaims) throws(IdTokenError) -> String {
        guard let issuerTemplate else { return issuer }
        guard let template = IssuerTemplate(issuerTemplate) else {
            throw .issuer(expected: issuerTemplate, actual: claims.issuer)
        }
        guard let tenant = claims["tid"]?.string, let issuer = template.issuer(of: tenant) else {
            throw .missing("tid")
        }
        return issuer
    }

    private func checkTimes(of claims: IdTokenClaims, maximumAge: Duration?) throws(IdTokenError) {
        let now = now()
        let skew = allowedClockSkew / .seconds(1)
        guard claims.expiresAt.addingTimeInterval(skew) > now else { throw .expired(at: claims.expiresAt, now: now) }
        guard claims.issuedAt.addingTimeInterval(-skew) <= now else {
            throw .issuedInFuture(at: claims.issuedAt, now: now)
        }
        if let stated = claims["nbf"] {
            guard let number = stated.number else { throw .missing("nbf") }
            let start = Date(timeIntervalSince1970: number)
            guard start.addingTimeInterval(-skew) <= now else { throw .notYetValid(until: start, now: now) }
        }
        guard let maximumAge else { return }
        guard let time = claims.authenticatedAt else { throw .missing("auth_time") }
        guard time.addingTimeInterval(-skew) <= now, time.addingTimeInterval(maximumAge / .seconds(1) + skew) >= now
        else {
            throw .authenticationTime(at: time, now: now, maximumAge: maximumAge)
        }
    }

    /// Compares a claim with the left half of the hash of a value, computed with the hash function of the signature algorithm
    /// (OpenID Connect Core, section 3.1.3.6).
    private func checkHash(
        _ name: String,
        of text: String?,
        in claims: IdTokenClaims,
        by algorithm: SignatureAlgorithm,
        else error: IdTokenError
    ) throws(IdTokenError) {
        guard let text, let stated = claims[name] else { return }
        guard stated.string == algorithm.leftHalfHash(of: text) else { throw error }
    }
}

extension IdTokenValidator: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client identifier, without the client secret.
    public var description: String { "validator of id_tokens of \(issuer) for \(clientID)" }

    /// The same as ``description``, so that `dump` prints no secret either.
    public var customMirror: Mirror { Mirror(self, children: ["validator": description], displayStyle: .struct) }
}
