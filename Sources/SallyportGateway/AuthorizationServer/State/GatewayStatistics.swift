/// What an authorization server has done since it was made.
public struct GatewayStatistics: Sendable, Equatable, Codable {
    /// How often it has given tokens, by grant type.
    public var grants: [String: Int] = [:]
    /// How often it has refused something, by error.
    public var refusals: [String: Int] = [:]
    /// How often a protected resource has been given.
    public var protectedCalls = 0

    /// How often it has given tokens for refresh tokens.
    public var refreshes: Int { grants["refresh_token"] ?? 0 }

    private enum CodingKeys: String, CodingKey {
        case grants, refusals
        case protectedCalls = "protected_calls"
    }
}
