import Foundation
import Sallyport
import SallyportJOSE

/// The claims about the signed-in user in a UserInfo response (OpenID Connect Core, section 5.3).
public struct UserInfo: Sendable, Equatable {
    /// All claims.
    public let claims: [String: JsonValue]
    /// The subject identifier of the user, which is the same as in the id_token.
    public let subject: String

    /// The display name.
    public var name: String? { claims["name"]?.string }
    /// The email address, which is verified only if `email_verified` is `true`.
    public var email: String? { claims["email"]?.string }
}

extension OAuthClient {
    /// Requests the claims about the signed-in user. An encrypted response is decrypted. The signature of a signed
    /// response and, if present, its issuer and audience are validated.
    ///
    /// - Throws: ``OAuthError``, for example if the response and the id_token have different subjects; ``NetworkError``.
    public func userInfo(_ tokens: OAuthTokens) async throws -> UserInfo {
        let url = try await server.url(of: .userInfo)
        let isBound = tokens.tokenType.lowercased() == "dpop"
        let response = try await server.sendWithProof(by: isBound ? tokens.proofKey : nil, to: url) { maker in
            var request = self.server.request(url, .userInfo, accepting: "application/json, application/jwt")
            let authorization = "\(isBound ? "DPoP" : "Bearer") \(tokens.accessToken)"
            request.setHeader(name: NetworkConstants.headerAuthorization, value: authorization, isSensitive: true)
            try await self.server.addProof(by: maker, to: &request, url: url, accessToken: tokens.accessToken)
            let response = try await self.server.httpClient.request(request: request)
            return try OAuthResponse(response, secrets: [tokens.accessToken])
        }
        try response.checkSuccess(of: "the request for user information")
        let claims = try await claims(in: response)
        guard let subject = claims["sub"]?.string, !subject.isEmpty else {
            throw response.invalid("the response has no subject (sub)")
        }
        if let known = try tokens.idToken.flatMap(subject(of:)), known != subject {
            throw response.invalid(
                "the response has another subject than the id_token",
                advice: "do not use it; the access token may belong to another user"
            )
        }
        return UserInfo(claims: claims, subject: subject)
    }

    private func claims(in response: OAuthResponse) async throws -> [String: JsonValue] {
        let type = response.headers[NetworkConstants.headerContentType]?.first?.lowercased() ?? ""
        guard type.hasPrefix("application/jwt") else {
            return try response.object(of: "the request for user information")
        }
        let text = String(decoding: response.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let content = try decrypted(text)
        if content != text, let claims = JsonObject.decode(Data(content.utf8)) {
            return claims
        }
        return try await server.convertingErrors(of: "the user information from") {
            try await self.verifiedClaims(of: content, in: response)
        }
    }

    /// Returns the claims of a signed response. The issuer and the audience, if present, must be the server and this client.
    private func verifiedClaims(of text: String, in response: OAuthResponse) async throws -> [String: JsonValue] {
        let signature = try JsonWebSignature(parsing: text)
        try await verify(signature)
        let claims = try signature.claims().filter { $0.value != .null }
        let template = configuration.issuerTemplate.flatMap(IssuerTemplate.init)
        if let iss = claims["iss"], iss.string != issuer, template?.matches(iss.string ?? "") != true {
            throw response.invalid("the response is from another issuer")
        }
        if let audience = claims["aud"], audience.string != clientID,
            audience.array?.contains(.string(clientID)) != true
        {
            throw response.invalid("the response is for another client")
        }
        return claims
    }

    /// Verifies a signature with the server's key that has the identifier in the signature, or with any of the server's keys if
    /// there is no identifier.
    private func verify(_ signature: JsonWebSignature) async throws {
        let algorithms = try await idTokenAlgorithms()
        let keys = try await server.keys(including: signature.keyID).keys
        let candidates = keys.filter { key in
            (signature.keyID == nil || key.keyID == signature.keyID) && key.isOfIssuer(of: signature)
        }
        guard !candidates.isEmpty else {
            throw JoseError(.key, "the server has no key with the identifier in the signature (kid)")
        }
        var problem: (any Error)?
        for key in candidates.prefix(16) {
            do {
                return try signature.verify(with: key, allowing: algorithms)
            } catch {
                problem = error
            }
        }
        throw problem ?? JoseError(.key, "no key fits")
    }
}
