import Foundation
import SallyportJOSE

/// The lifetimes of tokens, codes and sessions, in seconds.
public struct GatewayLifetimes: Sendable, Equatable {
    /// The lifetime of an access token. With 0, tokens have already expired when they are issued.
    public var accessToken: TimeInterval = 300
    /// The lifetime of a refresh token, from its last use.
    public var refreshToken: TimeInterval = 30 * 24 * 3600
    /// The time during which a refresh token can be used again after its first use. The default is 10 seconds.
    ///
    /// The client may not have received the response, so the server repeats it; with DPoP, only for the same key. A later second
    /// use revokes the grant. With 0, any second use revokes the grant.
    public var refreshTokenReuse: TimeInterval = 10
    /// The lifetime of an id_token.
    public var idToken: TimeInterval = 300
    /// The lifetime of an authorization code.
    public var code: TimeInterval = 600
    /// The lifetime of a pushed authorization request.
    public var pushedRequest: TimeInterval = 600
    /// The lifetime of a device code.
    public var deviceCode: TimeInterval = 600
    /// The minimum time between two polls of a device.
    public var deviceInterval: TimeInterval = 5
    /// The lifetime of a user's session, from the login.
    public var session: TimeInterval = 8 * 3600
    /// The time after its last use at which a user's session ends.
    public var sessionIdle: TimeInterval = 3600
    /// The maximum time between two steps of a tree.
    public var journey: TimeInterval = 300
    /// The lifetime of the link by which a suspended tree continues.
    public var magicLink: TimeInterval = 600
    /// The maximum time until a transaction is authorized and its call repeated.
    public var transaction: TimeInterval = 300
    /// The time that an account stays locked after ``AuthorizationServerConfiguration/lockoutFailures`` within a period of the same length.
    public var lockout: TimeInterval = 300
    /// The lifetime of a nonce for DPoP proofs.
    public var proofNonce: TimeInterval = 300
    /// The time that a signing key is used before it is replaced.
    public var signingKey: TimeInterval = 24 * 3600
    /// The lifetime of the registration of a device, from its first authentication, and of a user on it. The registration of a device that
    /// does not authenticate ends after a day.
    public var deviceRegistration: TimeInterval = 365 * 24 * 3600

    /// Creates the default lifetimes.
    public init() {}
}

extension GatewayLifetimes: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case refreshTokenReuse = "refresh_token_reuse"
        case idToken = "id_token"
        case code
        case pushedRequest = "pushed_request"
        case deviceCode = "device_code"
        case deviceInterval = "device_interval"
        case session
        case sessionIdle = "session_idle"
        case journey
        case magicLink = "magic_link"
        case transaction, lockout
        case proofNonce = "proof_nonce"
        case signingKey = "signing_key"
        case deviceRegistration = "device_registration"
    }

    /// Decodes the lifetimes. Missing members have their defaults; unknown members are refused.
    public init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownMembers(CodingKeys.self, of: "lifetimes")
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read(_ key: CodingKeys, into value: inout TimeInterval) throws {
            guard let seconds = try container.decodeIfPresent(Double.self, forKey: key) else { return }
            guard (0...315_360_000).contains(seconds) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: container,
                    debugDescription: "a lifetime is from 0 s to ten years"
                )
            }
            value = seconds
        }
        try read(.accessToken, into: &accessToken)
        try read(.refreshToken, into: &refreshToken)
        try read(.refreshTokenReuse, into: &refreshTokenReuse)
        try read(.idToken, into: &idToken)
        try read(.code, into: &code)
        try read(.pushedRequest, into: &pushedRequest)
        try read(.deviceCode, into: &deviceCode)
        try read(.deviceInterval, into: &deviceInterval)
        try read(.session, into: &session)
        try read(.sessionIdle, into: &sessionIdle)
        try read(.journey, into: &journey)
        try read(.magicLink, into: &magicLink)
        try read(.transaction, into: &transaction)
        try read(.lockout, into: &lockout)
        try read(.proofNonce, into: &proofNonce)
        try read(.signingKey, into: &signingKey)
        try read(.deviceRegistration, into: &deviceRegistration)
    }
}
