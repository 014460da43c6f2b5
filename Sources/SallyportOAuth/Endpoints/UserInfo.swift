import Foundation
import Sallyport
import SallyportJOSE

/// What a provider knows of the person who has signed in (OpenID Connect Core, section 5.3).
public struct UserInfo: Sendable, Equatable {
    /// All claims.
    public let claims: [String: JsonValue]
    /// Who it is; the same as in the id_token.
    public let subject: String

    /// The name, to be shown.
    public var name: String? { claims["name"]?.string }
    /// The address, which is verified only if `email_verified` says so.
    public var email: String? { claims["email"]?.string }
}

extension OAuthClient {
    /// Asks the provider about the person who has signed in. A signed or encrypted response is checked as an id_token is.
    ///
    /// - Throws: ``OAuthError``, also for an response about somebody else than the id_token is; ``NetworkError``.
    public func userInfo(_ tokens: OAuthTokens) async throws -> UserInfo {
        let url = try await server.url(of: .userInfo)
        let isBound = tokens.tokenType.lowercased() == "dpop"
        let response = try await sendWithProof(by: isBound ? tokens.proofKey : nil, to: url) { maker in
            var request = self.server.request(url, .userInfo, accepting: "application/json, application/jwt")
            let authorization = "\(isBound ? "DPoP" : "Bearer") \(tokens.accessToken)"
            request.setHeader(name: NetworkConstants.headerAuthorization, value: authorization, isSensitive: true)
            try await self.addProof(by: maker, to: &request, url: url, accessToken: tokens.accessToken)
            let response = try await self.server.httpClient.request(request: request)
            return try OAuthResponse(response, secrets: [tokens.accessToken])
        }
        guard response.status.isSuccess() else { throw response.refusal(of: "to tell about the person") }
        let claims = try await claims(in: response)
        guard let subject = claims["sub"]?.string, !subject.isEmpty else {
            throw response.invalid("the response does not say whom it is about")
        }
        if let known = try tokens.idToken.flatMap(subject(of:)), known != subject {
            throw response.invalid(
                "the response is about somebody else than the id_token",
                advice: "do not use it; someone may have exchanged the access token"
            )
        }
        return UserInfo(claims: claims, subject: subject)
    }

    private func claims(in response: OAuthResponse) async throws -> [String: JsonValue] {
        let type = response.headers[NetworkConstants.headerContentType]?.first?.lowercased() ?? ""
        guard type.hasPrefix("application/jwt") else { return try response.object(of: "to tell about the person") }
        let text = String(decoding: response.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let content = try decrypted(text)
        if content != text, let claims = try? JSONDecoder().decode([String: JsonValue].self, from: Data(content.utf8)) {
            return claims
        }
        return try await convertingErrors(of: "what is told about the person by") {
            try await self.verifiedClaims(of: content, in: response)
        }
    }

    /// The claims of a signed response, which have to be of the issuer and for the client if they say so.
    private func verifiedClaims(of text: String, in response: OAuthResponse) async throws -> [String: JsonValue] {
        let signature = try JsonWebSignature(parsing: text)
        try await verify(signature)
        let claims = try signature.claims()
        if let iss = claims["iss"], iss.string != issuer { throw response.invalid("the response is of another issuer") }
        if let audience = claims["aud"], audience.string != clientID,
            audience.array?.contains(.string(clientID)) != true
        {
            throw response.invalid("the response is for another client")
        }
        return claims
    }

    /// Checks that the server has signed something, with the key that it names.
    private func verify(_ signature: JsonWebSignature) async throws {
        let algorithms = try await idTokenAlgorithms()
        let keys = try await server.keys(including: signature.keyID).keys
        let candidates = keys.filter { key in signature.keyID == nil || key.keyID == signature.keyID }
        guard !candidates.isEmpty else { throw JoseError(.key, "the server has no key of that name") }
        var problem: (any Error)?
        for key in candidates.prefix(16) {
            do {
                return try await signature.verify(with: key, allowing: algorithms)
            } catch {
                problem = error
            }
        }
        throw problem ?? JoseError(.key, "no key fits")
    }
}
