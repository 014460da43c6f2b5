import Sallyport
import SallyportOAuth
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct OAuthActionTypeTests {
    @Test(
        arguments: [
            (.authorize, "AUTHORIZE"), (.exchangeToken, "EXCHANGE_TOKEN"), (.refreshToken, "REFRESH_TOKEN"),
            (.revokeToken, "REVOKE_TOKEN"), (.endSession, "END_SESSION"), (.userInfo, "USER_INFO"),
        ] as [(ActionType, String)]
    )
    func `The types of OAuth have the names of the seed's SDKs`(_ type: ActionType, _ name: String) {
        #expect(type.rawValue == name)
        #expect(type == ActionType(rawValue: name))
        #expect("\(type)" == name)
    }
}
