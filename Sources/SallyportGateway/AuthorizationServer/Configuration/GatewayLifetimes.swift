import Foundation

/// The lifetimes of what the gateway issues, in seconds.
public struct GatewayLifetimes: Sendable, Equatable {
    /// An access token; 0 for one that has ended when it arrives.
    public var accessToken: TimeInterval = 300
    /// A refresh token, from its last use.
    public var refreshToken: TimeInterval = 30 * 24 * 3600
    /// The reuse interval of a spent refresh token. The default is 10 seconds.
    ///
    /// Within this time its client, which may not have received the first response, gets the same one again; with DPoP,
    /// only with the same key. A later second use ends the grant. With 0, every second use does.
    public var refreshTokenReuse: TimeInterval = 10
    /// An id_token.
    public var idToken: TimeInterval = 300
    /// A code between the browser's redirect and the call for tokens.
    public var code: TimeInterval = 60
    /// A pushed request, until the browser comes with it.
    public var pushedRequest: TimeInterval = 90
    /// A device's code, until somebody has approved it.
    public var deviceCode: TimeInterval = 600
    /// How long a device waits between two questions.
    public var deviceInterval: TimeInterval = 5
    /// A browser's session.
    public var session: TimeInterval = 8 * 3600
    /// A nonce for proofs.
    public var proofNonce: TimeInterval = 300
    /// A signing key, before the next takes over.
    public var signingKey: TimeInterval = 24 * 3600

    /// Makes the lifetimes that a development server has.
    public init() {}
}

extension GatewayLifetimes: Decodable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case refreshTokenReuse = "refresh_token_reuse"
        case idToken = "id_token"
        case code
        case pushedRequest = "pushed_request"
        case deviceCode = "device_code"
        case deviceInterval = "device_interval"
        case session
        case proofNonce = "proof_nonce"
        case signingKey = "signing_key"
    }

    /// Reads the lifetimes that are named; the others stay.
    public init(from decoder: any Decoder) throws {
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
        try read(.proofNonce, into: &proofNonce)
        try read(.signingKey, into: &signingKey)
    }
}
