/// The tokens of an authorization server with refresh token rotation: a refresh token can be used once, and its reuse revokes
/// all tokens of the same login.
public struct TokenBook: Sendable {
    private struct Family: Sendable {
        var current: String
        /// The last refresh token that was replaced, and the grant that replaced it.
        var last: (token: String, grant: Grant)?
        var isEnded = false
    }

    /// The tokens of a client.
    public struct Grant: Sendable {
        /// The access token.
        public let accessToken: String
        /// The refresh token.
        public let refreshToken: String
    }

    /// The number of refreshes that were granted.
    public private(set) var refreshes = 0
    /// The number of refresh tokens that were reused.
    public private(set) var replays = 0
    /// The number of calls with a valid token.
    public private(set) var served = 0
    /// The number of calls with an invalid token, or with none.
    public private(set) var rejected = 0

    private var families: [Family] = []
    private var familyOf: [String: Int] = [:]
    private var accessTokens: [String: Int] = [:]
    private var numbers = 0

    /// A Boolean value that indicates whether a refresh returns a new refresh token.
    public var isRotating = true
    /// A Boolean value that indicates whether a refresh token that has just been replaced gets the same grant again.
    public var repeatsGrants = false
    /// The number of grants that were repeated.
    public private(set) var repeats = 0

    /// Creates the tokens of a server without logins.
    public init() {}

    /// Creates the tokens of a new login.
    public mutating func logIn() -> Grant {
        families.append(Family(current: ""))
        return grant(to: families.count - 1)
    }

    /// - Returns: The new tokens, or `nil` for the error `invalid_grant`.
    public mutating func refresh(_ token: String) -> Grant? {
        guard let family = familyOf[token] else { return nil }
        if families[family].isEnded { return nil }
        guard families[family].current == token else {
            if repeatsGrants, let last = families[family].last, last.token == token {
                repeats += 1
                return last.grant
            }
            replays += 1
            families[family].isEnded = true
            accessTokens = accessTokens.filter { $0.value != family }
            return nil
        }
        refreshes += 1
        let grant = grant(to: family)
        families[family].last = (token, grant)
        return grant
    }

    /// Returns a Boolean value that indicates whether an access token is valid.
    public mutating func call(_ token: String) -> Bool {
        let isServed = accessTokens[token] != nil
        if isServed { served += 1 } else { rejected += 1 }
        return isServed
    }

    /// Expires all access tokens.
    public mutating func endAccessTokens() { accessTokens = [:] }

    /// Revokes all logins.
    public mutating func endLogins() {
        for index in families.indices { families[index].isEnded = true }
        accessTokens = [:]
    }

    /// Returns a Boolean value that indicates whether a refresh token is valid.
    public func isHonoured(_ token: String) -> Bool {
        guard let family = familyOf[token].map({ families[$0] }) else { return false }
        return !family.isEnded && (family.current == token || repeatsGrants && family.last?.token == token)
    }

    private mutating func grant(to family: Int) -> Grant {
        numbers += 1
        let access = "canary-access-\(numbers)"
        accessTokens[access] = family
        if isRotating || families[family].current.isEmpty {
            families[family].current = "canary-refresh-\(numbers)"
            familyOf[families[family].current] = family
        }
        return Grant(accessToken: access, refreshToken: families[family].current)
    }
}
