/// What an authorization server knows of its tokens: refresh tokens are spent by use, and one that comes twice ends all
/// that came of the same login.
public struct TokenBook: Sendable {
    private struct Family: Sendable {
        var current: String
        /// The refresh token that was replaced last, and the grant that replaced it.
        var last: (token: String, grant: Grant)?
        var isEnded = false
    }

    /// Tokens for a client.
    public struct Grant: Sendable {
        /// Opens the API.
        public let accessToken: String
        /// Brings new tokens.
        public let refreshToken: String
    }

    /// Refreshes that were granted.
    public private(set) var refreshes = 0
    /// Refresh tokens that came again after they were spent.
    public private(set) var replays = 0
    /// Calls with a token that counted.
    public private(set) var served = 0
    /// Calls with one that did not, or with none.
    public private(set) var rejected = 0

    private var families: [Family] = []
    private var familyOf: [String: Int] = [:]
    private var accessTokens: [String: Int] = [:]
    private var numbers = 0

    /// Whether refreshes bring a new refresh token.
    public var isRotating = true
    /// A Boolean value that indicates whether a refresh token that has just been replaced gets the same grant again.
    public var repeatsGrants = false
    /// The number of grants that were repeated.
    public private(set) var repeats = 0

    /// A new login.
    public mutating func logIn() -> Grant {
        families.append(Family(current: ""))
        return grant(to: families.count - 1)
    }

    /// - Returns: `nil` is `invalid_grant`.
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

    /// Whether a call with an access token is served.
    public mutating func call(_ token: String) -> Bool {
        let isServed = accessTokens[token] != nil
        if isServed { served += 1 } else { rejected += 1 }
        return isServed
    }

    /// Ends all access tokens, as time does.
    public mutating func endAccessTokens() { accessTokens = [:] }

    /// Ends all logins, as an administrator does.
    public mutating func endLogins() {
        for index in families.indices { families[index].isEnded = true }
        accessTokens = [:]
    }

    /// Whether a refresh token would bring new tokens.
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
