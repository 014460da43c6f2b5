import Sallyport
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct ActionTypeTests {
    @Test(
        arguments: [
            (.startAuthenticate, "START_AUTHENTICATE"), (.resumeAuthenticate, "RESUME_AUTHENTICATE"),
            (.authenticate, "AUTHENTICATE"), (.authorize, "AUTHORIZE"), (.exchangeToken, "EXCHANGE_TOKEN"),
            (.refreshToken, "REFRESH_TOKEN"), (.revokeToken, "REVOKE_TOKEN"), (.endSession, "END_SESSION"),
            (.logout, "LOGOUT"), (.userInfo, "USER_INFO"), (.pushRegister, "PUSH_REGISTER"),
            (.pushAuthenticate, "PUSH_AUTHENTICATE"), (.pushUpdate, "PUSH_UPDATE"),
        ] as [(ActionType, String)]
    )
    func `The thirteen types have the names of the seed's SDKs`(_ type: ActionType, _ name: String) {
        #expect(type.rawValue == name)
        #expect(type == ActionType(rawValue: name))
        #expect("\(type)" == name)
    }

    @Test func `A type compares with its name and with its constant`() {
        let action = Action(.startAuthenticate, payload: ["tree": "Login", "type": "service"])
        #expect(action.type == "START_AUTHENTICATE")
        #expect(action.type == .startAuthenticate)
        #expect(action.type != "start_authenticate")
        #expect(action.type != .authenticate)
        #expect(action.payload?["tree"] == "Login")
    }

    @Test func `An app can have types of its own`() {
        let mine: ActionType = "MINE"
        #expect(Action(mine) == Action(ActionType(rawValue: "MINE")))
        switch mine {
        case "MINE": break
        default: Issue.record("a type of one's own can be matched by its name")
        }
    }

    @Test func `A request has no action unless it is given one`() {
        var request = HttpRequest(url: "https://api.example.com/")
        #expect(request.action == nil)
        request.action = Action(.userInfo)
        #expect(request.action?.type == .userInfo)
    }
}
