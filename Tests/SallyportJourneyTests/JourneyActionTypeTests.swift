import Sallyport
import SallyportJourney
import TestSupport
import Testing

@Suite(.concurrencyLimited) struct JourneyActionTypeTests {
    @Test(
        arguments: [
            (.startAuthenticate, "START_AUTHENTICATE"), (.resumeAuthenticate, "RESUME_AUTHENTICATE"),
            (.authenticate, "AUTHENTICATE"), (.logout, "LOGOUT"), (.pushRegister, "PUSH_REGISTER"),
            (.pushAuthenticate, "PUSH_AUTHENTICATE"), (.pushUpdate, "PUSH_UPDATE"),
        ] as [(ActionType, String)]
    )
    func `The types of journeys and push have the names of the seed's SDKs`(_ type: ActionType, _ name: String) {
        #expect(type.rawValue == name)
        #expect(type == ActionType(rawValue: name))
        #expect("\(type)" == name)
    }
}
