import SallyportOAuth
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct OAuthTokensTests {
    @Test func `no token is shown`() {
        let tokens = OAuthTokens(accessToken: "canary-access", refreshToken: "canary-refresh", idToken: "canary-id")
        var dumped = ""
        dump(tokens, to: &dumped)
        #expect(!"\(tokens) \(String(reflecting: tokens)) \(dumped)".contains("canary"))
    }
}
