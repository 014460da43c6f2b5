import Crypto
import Foundation
import SallyportJOSE

/// Issues and redeems authorization codes (RFC 6749, section 4.1).
final class AuthorizationCodes {
    private struct Code: Sendable {
        let grant: Grant
        let redirectURI: String
        let challenge: String
        /// The thumbprint of the key that the tokens must be bound to, if the request had one (RFC 9449, section 10).
        let proofKey: String?
        var isUsed = false
    }

    private let context: ServerContext
    private let grants: GrantTable
    private let deviceUsers: DeviceUsers
    private var codes = ExpiringTable<SecretHash, Code>(limit: 16_384) { $1.grant.owner }

    init(_ context: ServerContext, grants: GrantTable, deviceUsers: DeviceUsers) {
        self.context = context
        self.grants = grants
        self.deviceUsers = deviceUsers
    }

    /// Returns a new code for a request that the user of a session has allowed.
    ///
    /// - Parameters:
    ///   - request: The authorization request.
    ///   - session: The session of the user.
    ///   - issuerPath: The path at the end of the issuer identifier of the tokens.
    func issue(
        for request: GatewayAuthorizationRequest,
        by session: UserSession,
        issuerPath: String
    ) -> String {
        let text = Secret.random()
        let code = Code(
            grant: session.grant(
                to: request.client,
                scopes: request.scopes,
                nonce: request.nonce,
                issuerPath: issuerPath
            ),
            redirectURI: request.target.redirectURI,
            challenge: request.challenge,
            proofKey: request.proofKey
        )
        let now = context.now
        codes.insert(code, for: SecretHash(text), until: now + context.lifetimes.code, now: now)
        return text
    }

    /// Marks a code as used and begins its grant (RFC 6749, section 4.1.3; RFC 7636, section 4.6).
    ///
    /// A second use revokes the grant and, if the client is a device, deregisters the user there.
    func redeem(_ request: TokenRequest) throws(OAuthRefusal) -> Grant {
        let hash = SecretHash(try request.parameters.require("code"))
        let redirectURI = try request.parameters.require("redirect_uri")
        let verifier = try request.parameters.require("code_verifier")
        let now = context.now
        guard let code = codes.value(for: hash, now: now), code.grant.clientID == request.client.id,
            code.grant.issuerPath == request.issuerPath
        else {
            throw OAuthRefusal(
                .invalidGrant,
                "The code is unknown, has expired, or belongs to another client or issuer."
            )
        }
        guard !code.isUsed else {
            grants.revoke(code.grant)
            if request.client.installation != nil { deviceUsers.deregister(code.grant.subject, on: request.client.id) }
            throw OAuthRefusal(.invalidGrant, "The code was used before. The tokens issued for it are revoked.")
        }
        // Marked before the remaining checks, so that a failed attempt cannot be repeated with other values.
        codes.update(hash, now: now) { $0.isUsed = true }
        guard code.redirectURI == redirectURI else {
            throw OAuthRefusal(.invalidGrant, "The code was issued for another redirect_uri.")
        }
        guard ConstantTime.areEqual(code.challenge.utf8, Self.challenge(of: verifier).utf8) else {
            throw OAuthRefusal(.invalidGrant, "The code_verifier does not match the code_challenge.")
        }
        guard code.proofKey == nil || code.proofKey == request.proofKey else {
            throw OAuthRefusal(.invalidGrant, "The code is bound to another key (dpop_jkt).")
        }
        // A second use is detected until then.
        codes.extend(hash, until: now + max(context.lifetimes.accessToken, 600))
        grants.begin(code.grant)
        return code.grant
    }

    private static func challenge(of verifier: String) -> String {
        Base64Url.encode(Data(SHA256.hash(data: Data(verifier.utf8))))
    }
}
