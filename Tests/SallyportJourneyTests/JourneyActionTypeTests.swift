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
    func `The raw value and description of an action type are its name`(_ type: ActionType, _ name: String) {
        #expect(type.rawValue == name)
        #expect(type == ActionType(rawValue: name))
        #expect("\(type)" == name)
    }
}
